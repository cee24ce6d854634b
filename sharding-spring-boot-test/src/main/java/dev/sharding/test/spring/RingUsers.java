package dev.sharding.test.spring;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.protocol.RingRoles;

/**
 * The users of a ring: its sharder and its shards, with the roles of an installation and
 * no others. The administrator impersonates them, so that what brings him to the cluster
 * brings them there as well.
 */
final class RingUsers implements AutoCloseable {

	private static final String SYSTEM = "sharding-system";

	private static final String SHARDER = "sharder";

	private static final String SHARD = "shard";

	private static final String RBAC = "rbac.authorization.k8s.io";

	/* Copied from config/ when this module is built. */
	private static final List<String> INSTALLATION = List.of("cluster-role.yaml", "role.yaml");

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final KubernetesClient admin;

	private final String ring;

	/* Goes with the ring; what an installation shares stays. */
	private final List<HasMetadata> made = new ArrayList<>();

	/**
	 * Creates users without roles.
	 * @param admin who may write roles
	 * @param ring the name of the ring
	 */
	RingUsers(KubernetesClient admin, String ring) {
		this.admin = admin;
		this.ring = ring;
	}

	/**
	 * Gives the users their roles. Returns when the API server knows them.
	 * @param ring the ring
	 * @param roles manifests on the class path with Roles and ClusterRoles for the shards
	 * @param ringRoles whether the shards have the roles of the ring besides
	 */
	void install(ControllerRing ring, String[] roles, boolean ringRoles) {
		this.admin.resource(new NamespaceBuilder().withNewMetadata().withName(SYSTEM).endMetadata().build())
			.serverSideApply();
		INSTALLATION
			.forEach((manifest) -> load(manifest).forEach((part) -> this.admin.resource(part).serverSideApply()));
		List<HasMetadata> ofRing = RingRoles.of(ring);
		ofRing.forEach(this::make);
		awaitRules(this.ring, SYSTEM, SHARDER, ((ClusterRole) ofRing.get(0)).getRules());
		if (ringRoles) {
			bindShards(ofRing);
		}
		for (String manifest : roles) {
			load(manifest).forEach(this::grant);
		}
	}

	private void bindShards(List<HasMetadata> ofRing) {
		for (HasMetadata part : ofRing) {
			if (part instanceof ClusterRole role) {
				String name = role.getMetadata().getName();
				if (name.startsWith("sharding:shard-lease:")) {
					bindInNamespace(this.ring, "ClusterRole", name, role.getRules());
				}
				else if (name.startsWith("sharding:shard:")) {
					bind(name, role.getRules());
				}
			}
		}
	}

	/*
	 * A manifest of the user may hold bindings and more, which are for his installation.
	 */
	private void grant(HasMetadata part) {
		String name = "sharding-test:" + this.ring + ":" + part.getMetadata().getName();
		if (part instanceof ClusterRole role) {
			make(new ClusterRoleBuilder().withNewMetadata()
				.withName(name)
				.endMetadata()
				.withRules(role.getRules())
				.build());
			bind(name, role.getRules());
		}
		else if (part instanceof Role role) {
			String namespace = SYSTEM.equals(role.getMetadata().getNamespace()) ? SYSTEM : this.ring;
			make(new RoleBuilder().withNewMetadata()
				.withNamespace(namespace)
				.withName(name)
				.endMetadata()
				.withRules(role.getRules())
				.build());
			bindInNamespace(namespace, "Role", name, role.getRules());
		}
	}

	private void bind(String role, List<PolicyRule> rules) {
		make(new ClusterRoleBindingBuilder().withNewMetadata()
			.withName(role)
			.endMetadata()
			.withNewRoleRef(RBAC, "ClusterRole", role)
			.addNewSubject(null, "ServiceAccount", SHARD, this.ring)
			.build());
		awaitRules(this.ring, this.ring, SHARD, rules);
	}

	private void bindInNamespace(String namespace, String kind, String role, List<PolicyRule> rules) {
		make(new RoleBindingBuilder().withNewMetadata()
			.withNamespace(namespace)
			.withName(role)
			.endMetadata()
			.withNewRoleRef(RBAC, kind, role)
			.addNewSubject(null, "ServiceAccount", SHARD, this.ring)
			.build());
		awaitRules(namespace, this.ring, SHARD, rules);
	}

	private List<HasMetadata> load(String resource) {
		try (InputStream file = Objects.requireNonNull(RingUsers.class.getResourceAsStream(resource),
				"not on the class path: " + resource)) {
			return this.admin.load(file).items();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void make(HasMetadata part) {
		this.made.add(this.admin.resource(part).serverSideApply());
	}

	/*
	 * The API server learns of roles through watches of its own, thus a moment later. It
	 * may know one of the rules by another role, so each is asked for.
	 */
	private void awaitRules(String scope, String namespace, String account, List<PolicyRule> rules) {
		for (PolicyRule rule : rules) {
			if (!rule.getResources().isEmpty()) {
				Awaitility.await("the API server to know the roles of " + account)
					.atMost(PATIENCE)
					.pollInterval(Duration.ofMillis(20))
					.until(() -> isAllowed(scope, user(namespace, account), rule));
			}
		}
	}

	private boolean isAllowed(String scope, String user, PolicyRule rule) {
		List<String> names = rule.getResourceNames();
		return this.admin
			.resource(new SubjectAccessReviewBuilder().withNewSpec()
				.withUser(user)
				.withNewResourceAttributes()
				.withNamespace(scope)
				.withVerb(rule.getVerbs().get(0))
				.withGroup(rule.getApiGroups().get(0))
				.withResource(rule.getResources().get(0))
				.withName(names.isEmpty() ? "" : names.get(0))
				.endResourceAttributes()
				.endSpec()
				.build())
			.create()
			.getStatus()
			.getAllowed();
	}

	/** The way of the sharder to the API server. */
	Config sharder() {
		return as(SYSTEM, SHARDER);
	}

	/** The way of the shards to the API server. */
	Config shard() {
		return as(this.ring, SHARD);
	}

	private Config as(String namespace, String account) {
		return new ConfigBuilder(this.admin.getConfiguration()).withImpersonateUsername(user(namespace, account))
			.build();
	}

	private static String user(String namespace, String account) {
		return "system:serviceaccount:" + namespace + ":" + account;
	}

	@Override
	public void close() {
		this.made.forEach((part) -> this.admin.resource(part).delete());
	}

}
