package dev.sharding.demo;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MarksIT {

	private static final String MARK = "judge-mark";

	@Test
	void areWrittenAgainUntilTheyAreThere() throws Exception {
		try (ControlPlane controlPlane = ControlPlane.start()) {
			KubernetesClient admin = controlPlane.client();
			admin
				.resource(
						new NamespaceBuilder().withNewMetadata().withName(Names.SYSTEM_NAMESPACE).endMetadata().build())
				.create();
			KubernetesClient client = controlPlane.user("conductor", Permissions.conductor()).client();
			Marks marks = new Marks(client);
			Resource<ClusterRole> role = admin.rbac().clusterRoles().withName("sharding-test-conductor");
			ClusterRole rights = role.get();
			role.patch(new ClusterRoleBuilder(rights).withRules().build());
			Awaitility.await().atMost(90, TimeUnit.SECONDS).until(() -> isRefused(client));
			CompletableFuture<Void> calm = CompletableFuture.runAsync(() -> marks.calm(Marks.ALL));
			Awaitility.await().atMost(90, TimeUnit.SECONDS).during(1, TimeUnit.SECONDS).until(() -> !calm.isDone());
			role.patch(new ClusterRoleBuilder(role.get()).withRules(rights.getRules()).build());
			calm.get(1, TimeUnit.MINUTES);
			assertThat(admin.configMaps().inNamespace(Names.SYSTEM_NAMESPACE).withName(MARK).get().getData())
				.containsEntry("phase", "calm")
				.containsEntry("subject", Marks.ALL);
		}
	}

	private static boolean isRefused(KubernetesClient client) {
		return MergePatch.response(client, "/api/v1/namespaces/" + Names.SYSTEM_NAMESPACE + "/configmaps/" + MARK, "{}")
			.code() == 403;
	}

}
