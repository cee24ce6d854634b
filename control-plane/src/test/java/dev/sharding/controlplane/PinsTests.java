package dev.sharding.controlplane;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PinsTests {

	@Test
	void goModulePinsTheSameVersions() throws IOException {
		try (InputStream resource = GoBuild.class.getResourceAsStream("go.mod")) {
			assertThat(resource).isNotNull();
			assertThat(new String(resource.readAllBytes(), StandardCharsets.UTF_8))
				.containsPattern("k8s\\.io/kubernetes v" + Pins.KUBERNETES + "\\s")
				.containsPattern("go\\.etcd\\.io/etcd/server/v3 v" + Pins.ETCD + "\\s");
		}
	}

}
