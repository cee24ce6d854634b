package dev.sharding.internal.kubernetes.rest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.rest.http.Kubeconfig;

import static org.assertj.core.api.Assertions.assertThat;

/** Starts programs of their own, which have a kubeconfig, and looks at their classes. */
class KubeconfigStartTests {

	/* A kind that nothing here uses. */
	private static final String OF_THE_MODEL = "io.fabric8.kubernetes.api.model.PersistentVolumeClaim ";

	@TempDir
	private Path folder;

	@Test
	void loadsNoKinds() throws Exception {
		assertThat(classesOf(Ours.class)).contains(" io.fabric8.kubernetes.api.model.NamedContext ")
			.doesNotContain(OF_THE_MODEL);
	}

	@Test
	void theClientByItselfLoadsThemAll() throws Exception {
		assertThat(classesOf(Theirs.class)).contains(OF_THE_MODEL);
	}

	private String classesOf(Class<?> main) throws IOException, InterruptedException {
		Path kubeconfig = Files.writeString(this.folder.resolve("config"), """
				current-context: one
				contexts:
				- {name: one, context: {cluster: here, user: me, namespace: mine}}
				clusters:
				- {name: here, cluster: {server: 'https://here.example:6443'}}
				users:
				- {name: me, user: {token: secret}}
				""");
		Path output = this.folder.resolve("output");
		Process program = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xlog:class+load",
				"-Dkubeconfig=" + kubeconfig, "-cp", System.getProperty("java.class.path"), main.getName())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		int code = program.waitFor();
		String classes = Files.readString(output);
		assertThat(code).as(() -> classes).isZero();
		return classes;
	}

	private static void makeClients(KubernetesClientBuilder builder) {
		try (KubernetesClient client = builder.build();
				KubernetesClient leases = LeaseClients.create(client.getConfiguration(), RenewalTimings.DEFAULTS)) {
			if (!"https://here.example:6443/".equals(leases.getConfiguration().getMasterUrl())) {
				throw new IllegalStateException("Another kubeconfig: " + leases.getConfiguration().getMasterUrl());
			}
		}
	}

	static final class Ours {

		public static void main(String[] args) {
			makeClients(Kubeconfig.newBuilder());
		}

	}

	static final class Theirs {

		public static void main(String[] args) {
			makeClients(new KubernetesClientBuilder());
		}

	}

}
