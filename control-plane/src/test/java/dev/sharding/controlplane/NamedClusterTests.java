package dev.sharding.controlplane;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class NamedClusterTests {

	@TempDir
	private Path folder;

	@Test
	void kubeconfigAloneNamesNoCluster() throws IOException {
		assertThat(NamedCluster.find((name) -> null, Map.of("KUBECONFIG", kubeconfig().toString()))).isEmpty();
		assertThat(NamedCluster.find(Map.of(NamedCluster.SWITCH_PROPERTY, "false")::get,
				Map.of("KUBECONFIG", kubeconfig().toString(), NamedCluster.SWITCH_VARIABLE, "true")))
			.isEmpty();
	}

	@Test
	void kubeconfigAndSwitchNameACluster() throws IOException {
		Path kubeconfig = kubeconfig();
		assertThat(NamedCluster.find(Map.of(NamedCluster.SWITCH_PROPERTY, "true")::get,
				Map.of("KUBECONFIG", kubeconfig + ":/another")))
			.contains(new NamedCluster(kubeconfig));
		assertThat(NamedCluster.find((name) -> null,
				Map.of(NamedCluster.SWITCH_VARIABLE, "true", "KUBECONFIG", kubeconfig.toString())))
			.contains(new NamedCluster(kubeconfig));
	}

	@Test
	void switchWithoutKubeconfigIsAMistake() {
		assertThatExceptionOfType(ControlPlaneUnavailableException.class)
			.isThrownBy(() -> NamedCluster.find(Map.of(NamedCluster.SWITCH_PROPERTY, "true")::get,
					Map.of("KUBECONFIG", this.folder + "/absent")))
			.withMessageContaining("KUBECONFIG names no file (is '" + this.folder + "/absent')");
	}

	private Path kubeconfig() throws IOException {
		return Files.writeString(this.folder.resolve("config"), "apiVersion: v1\n");
	}

}
