package dev.sharding.demo;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.sharding.test.Access;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * The roles of {@code config/}: what every cluster gives the sharder, and what its
 * command {@code roles} prints for the ring. The processes get these and nothing else.
 */
final class Roles {

	private static final String RBAC = "rbac.authorization.k8s.io";

	private static final List<String> MANIFESTS = List.of("rbac/service-account.yaml", "rbac/cluster-role.yaml",
			"rbac/role.yaml");

	private static final String OF_RING = "example/roles.yaml";

	private static final String OF_WEBHOOK = "rbac/webhook/role.yaml";

	private static final String WEBHOOK = "sharding:sharder-webhook";

	private final KubernetesClient admin;

	private final List<RingSite> rings;

	private boolean more;

	private boolean webhook;

	private Roles(KubernetesClient admin, List<RingSite> rings) {
		this.admin = admin;
		this.rings = rings;
	}

	/**
	 * Installs the roles. The namespace of the sharder must be there.
	 * @param config the folder of the manifests
	 */
	static Roles install(KubernetesClient admin, Path config, List<RingSite> rings) throws IOException {
		Roles roles = new Roles(admin, rings);
		roles.apply(config);
		return roles;
	}

	/**
	 * Has the roles be those of these manifests, as {@code kubectl apply} would. What is
	 * in none of them stays.
	 * @param config the folder of the manifests
	 */
	void apply(Path config) throws IOException {
		for (String manifest : MANIFESTS) {
			apply(Files.readString(config.resolve(manifest)));
		}
		for (RingSite ring : this.rings) {
			apply(ring.ofThis(Files.readString(config.resolve(OF_RING))));
		}
	}

	private void apply(String manifest) {
		this.admin.load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
			.items()
			.forEach((item) -> this.admin.resource(item).forceConflicts().serverSideApply());
	}

	/**
	 * Installs what a ring that lists more needs besides.
	 * @param manifest for a ring of the name of the example
	 */
	void installMore(String manifest) {
		for (RingSite ring : this.rings) {
			this.admin.load(new ByteArrayInputStream(ring.ofThis(manifest).getBytes(StandardCharsets.UTF_8))).create();
		}
		this.more = true;
	}

	/**
	 * Installs what sharders need that serve the webhook.
	 * @param config the folder of the manifests
	 */
	void installWebhook(Path config) throws IOException {
		apply(Files.readString(config.resolve(OF_WEBHOOK)));
		this.webhook = true;
	}

	/** Lets a user be a sharder. */
	void bindSharder(Access user) {
		if (this.webhook) {
			bind(user, WEBHOOK);
			bind(user, "Role", WEBHOOK, Names.SYSTEM_NAMESPACE);
		}
		if (this.more) {
			this.rings.forEach((ring) -> bind(user, "sharding:controllerring:" + ring.name() + ":operator"));
		}
		bind(user, "sharding:sharder");
		this.rings.forEach((ring) -> bind(user, "sharding:controllerring:" + ring.name()));
		bind(user, "Role", "sharding:sharder", Names.SYSTEM_NAMESPACE);
	}

	/** Lets a user be a shard of a ring. */
	void bindShard(Access user, RingSite ring) {
		if (this.more) {
			bind(user, "sharding:shard:" + ring.name() + ":operator");
		}
		bind(user, "sharding:shard:" + ring.name());
		bind(user, "ClusterRole", "sharding:shard-lease:" + ring.name(), ring.leaseNamespace());
	}

	/** Lets a user be nothing any more. */
	void unbind(Access user) {
		String end = ":" + user.user();
		this.admin.rbac()
			.clusterRoleBindings()
			.list()
			.getItems()
			.stream()
			.filter((binding) -> binding.getMetadata().getName().endsWith(end))
			.forEach((binding) -> this.admin.resource(binding).delete());
		this.admin.rbac()
			.roleBindings()
			.inAnyNamespace()
			.list()
			.getItems()
			.stream()
			.filter((binding) -> binding.getMetadata().getName().endsWith(end))
			.forEach((binding) -> this.admin.resource(binding).delete());
	}

	private void bind(Access user, String role) {
		this.admin
			.resource(new ClusterRoleBindingBuilder().withNewMetadata()
				.withName(name(user, role))
				.endMetadata()
				.withNewRoleRef(RBAC, "ClusterRole", role)
				.addNewSubject(RBAC, "User", user.user(), null)
				.build())
			.create();
	}

	private void bind(Access user, String kind, String role, String namespace) {
		this.admin
			.resource(new RoleBindingBuilder().withNewMetadata()
				.withName(name(user, role))
				.withNamespace(namespace)
				.endMetadata()
				.withNewRoleRef(RBAC, kind, role)
				.addNewSubject(RBAC, "User", user.user(), null)
				.build())
			.create();
	}

	private static String name(Access user, String role) {
		return role + ":" + user.user();
	}

}
