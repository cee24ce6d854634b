package dev.sharding.internal.sharder;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.protocol.RingRoles;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/**
 * The user that the manifests make for the sharder, with the roles of {@code config/} and
 * those that the command {@code roles} prints, and no others.
 */
public final class SharderUser {

	/** The name of the user. */
	public static final String NAME = "system:serviceaccount:sharding-system:sharder";

	private static final Path FOLDER = Path.of("..", "config", "rbac");

	private static final List<String> MANIFESTS = List.of("service-account.yaml", "cluster-role.yaml", "role.yaml",
			"webhook/role.yaml", "metrics/role.yaml");

	private SharderUser() {
	}

	static KubernetesClient client(KubernetesClient admin) {
		install(admin);
		return new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(admin.getConfiguration()).withImpersonateUsername(NAME).build())
			.build();
	}

	/** Makes the user, with its roles for the rings that there are. */
	public static void install(KubernetesClient admin) {
		List<ControllerRing> rings = admin.resources(ControllerRing.class).list().getItems();
		admin.resource(new NamespaceBuilder().withNewMetadata().withName("sharding-system").endMetadata().build())
			.serverSideApply();
		for (String manifest : MANIFESTS) {
			try (InputStream file = Files.newInputStream(FOLDER.resolve(manifest))) {
				admin.load(file).serverSideApply();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		rings.stream()
			.flatMap((ring) -> RingRoles.of(ring).stream())
			.forEach((role) -> admin.resource(role).serverSideApply());
		rings.forEach((ring) -> awaitRole(admin, ring));
	}

	/* The API server learns of roles through a watch of its own, thus a moment later. */
	private static void awaitRole(KubernetesClient admin, ControllerRing ring) {
		ClusterRole role = (ClusterRole) RingRoles.of(ring).get(0);
		for (PolicyRule rule : role.getRules()) {
			for (String resource : rule.getResources()) {
				World.await()
					.until(() -> admin
						.resource(new SubjectAccessReviewBuilder().withNewSpec()
							.withUser(NAME)
							.withNewResourceAttributes()
							.withVerb("patch")
							.withGroup(rule.getApiGroups().get(0))
							.withResource(resource)
							.endResourceAttributes()
							.endSpec()
							.build())
						.create()
						.getStatus()
						.getAllowed());
			}
		}
	}

}
