package dev.sharding.example;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import dev.sharding.test.WatchedProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The packaged application with the bean definitions that were written down when it was
 * built, as a native image has them.
 */
@ControlPlaneTest
class AotProcessedIT {

	private static final String RBAC = "rbac.authorization.k8s.io";

	@TempDir
	private Path folder;

	@Test
	void reconcilesOnTheJvm(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace)
			throws IOException {
		Path log = this.folder.resolve("application.log");
		Path java = Path.of(System.getProperty("java.home"), "bin", "java");
		WatchedProcess process = WatchedProcess.start(List.of("/usr/bin/env",
				"KUBECONFIG=" + shard(controlPlane, namespace).kubeconfigFile(), java.toString(),
				"-XX:TieredStopAtLevel=1", "-Dsharding.cache.check-millis=2000", "-Dspring.aot.enabled=true", "-jar",
				packaged().toString(), "--server.port=0", "--sharding.shard-name=shard-aot",
				"--sharding.namespaces=" + namespace, "--sharding.lease.namespace=" + namespace), log);
		try {
			client
				.resource(new SecretBuilder().withNewMetadata()
					.withNamespace(namespace)
					.withName("password")
					.addToLabels(ShardingLabels.shard("checksums"), "shard-aot")
					.endMetadata()
					.withStringData(Map.of("key", "value"))
					.build())
				.create();
			soon().untilAsserted(() -> {
				assertThat(process.isAlive()).as(() -> read(log)).isTrue();
				assertThat(client.configMaps().inNamespace(namespace).withName("checksums-password").get()).isNotNull();
			});
			assertThat(read(log)).contains("Starting AOT-processed ChecksumApplication");
			process.signal("TERM");
			assertThat(process.awaitExit(60, TimeUnit.SECONDS)).isTrue();
			assertThat(client.leases().inNamespace(namespace).withName("shard-aot").get().getSpec().getHolderIdentity())
				.isEmpty();
		}
		finally {
			process.killNow();
		}
	}

	/* A user with the roles that the command prints for the ring, and no others. */
	private static Access shard(ControlPlane controlPlane, String namespace) throws IOException {
		Access user = controlPlane.user("shard-aot");
		KubernetesClient admin = controlPlane.client();
		try (InputStream roles = Files.newInputStream(Path.of("..", "config", "example", "roles.yaml"))) {
			admin.load(roles).serverSideApply();
		}
		admin
			.resource(new RoleBindingBuilder().withNewMetadata()
				.withNamespace(namespace)
				.withName("objects")
				.endMetadata()
				.withNewRoleRef(RBAC, "ClusterRole", "sharding:shard:checksums")
				.addNewSubject(RBAC, "User", user.user(), null)
				.build())
			.create();
		admin
			.resource(new RoleBindingBuilder().withNewMetadata()
				.withNamespace(namespace)
				.withName("lease")
				.endMetadata()
				.withNewRoleRef(RBAC, "ClusterRole", "sharding:shard-lease:checksums")
				.addNewSubject(RBAC, "User", user.user(), null)
				.build())
			.create();
		return user;
	}

	private static Path packaged() throws IOException {
		try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of("target"), "example-app-*-exec.jar")) {
			return jars.iterator().next();
		}
	}

	private static String read(Path log) {
		try {
			return Files.readString(log);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(100));
	}

}
