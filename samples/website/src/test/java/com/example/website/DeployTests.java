package com.example.website;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.sharding.protocol.RingRoles;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What is generated is deployed as it was generated. */
class DeployTests {

	private static final Path BASE = Path.of("deploy/base");

	@Test
	void theDefinitionIsThatOfTheClass() throws IOException {
		assertThat(Files.readString(BASE.resolve("crd.yaml")))
			.isEqualTo(Files.readString(Path.of("target/classes/META-INF/fabric8/websites.example.com-v1.yml")));
	}

	@Test
	void theRolesAreThoseOfTheRing() throws IOException {
		assertThat(Files.readString(BASE.resolve("roles.yaml")).strip())
			.isEqualTo(RingRoles.ofFile(BASE.resolve("ring.yaml")).strip());
	}

}
