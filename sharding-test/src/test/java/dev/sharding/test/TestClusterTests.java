package dev.sharding.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.sharding.controlplane.NamedCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class TestClusterTests {

	@Test
	void findsCertificatesBesideTheKubeconfigOfTheUser(@TempDir Path folder) throws IOException {
		Path kubeconfig = Files.writeString(folder.resolve("config"), """
				apiVersion: v1
				kind: Config
				clusters:
				- name: some
				  cluster:
				    server: https://127.0.0.1:1
				    certificate-authority: ca.crt
				users:
				- name: somebody
				  user:
				    token: secret
				contexts:
				- name: here
				  context:
				    cluster: some
				    user: somebody
				current-context: here
				""");
		Files.createFile(folder.resolve("ca.crt"));
		try (TestCluster cluster = TestCluster.connect(new NamedCluster(kubeconfig))) {
			assertThat(Path.of(cluster.client().getConfiguration().getCaCertFile()))
				.isEqualTo(folder.resolve("ca.crt"));
		}
	}

}
