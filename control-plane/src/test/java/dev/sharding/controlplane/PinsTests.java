package dev.sharding.controlplane;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PinsTests {

	@Test
	void goModulePinsTheSameVersions() throws IOException {
		assertThat(module("go.mod")).containsPattern("k8s\\.io/kubernetes v" + Pins.KUBERNETES + "\\s")
			.containsPattern("go\\.etcd\\.io/etcd/server/v3 v" + Pins.ETCD + "\\s");
		assertThat(module("helm/go.mod")).containsPattern("helm\\.sh/helm/v3 v" + Pins.HELM + "\\s");
	}

	private static String module(String name) throws IOException {
		try (InputStream resource = GoBuild.class.getResourceAsStream(name)) {
			assertThat(resource).isNotNull();
			return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

}
