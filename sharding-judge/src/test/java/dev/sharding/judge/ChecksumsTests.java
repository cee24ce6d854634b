package dev.sharding.judge;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ChecksumsTests {

	private static final LiveObject SECRET = new LiveObject(new ObjectRef("", "secrets", "default", "s"), "u", "7",
			null, false, Map.of("team", "one", "shard.alpha.sharding.timebertt.dev/r", "a"), Map.of("k", "YWJj"));

	/** SHA-256 of "abc". */
	private static final String RIGHT = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

	@Test
	void acceptsTheChecksumOfTheLastVersion() {
		assertThat(Checksums.lost(List.of(SECRET), List.of(configMap("u", RIGHT)), true)).isEmpty();
	}

	@Test
	void findsASecretWithoutConfigMap() {
		assertThat(Checksums.lost(List.of(SECRET), List.of(configMap("other", RIGHT)), true)).hasSize(1);
	}

	@Test
	void findsTheChecksumOfAnotherVersion() {
		assertThat(Checksums.lost(List.of(SECRET), List.of(configMap("u", "00")), true)).singleElement()
			.asString()
			.contains("secrets default/s of version 7");
	}

	@Test
	void findsTheLabelsOfAnotherVersion() {
		List<LiveObject> configMaps = List.of(configMap("u", RIGHT, "two"));
		assertThat(Checksums.lost(List.of(SECRET), configMaps, true)).singleElement().asString().contains("the labels");
		assertThat(Checksums.lost(List.of(SECRET), configMaps, false)).isEmpty();
	}

	@Test
	void findsASecondConfigMap() {
		assertThat(Checksums.lost(List.of(SECRET), List.of(configMap("u", RIGHT), configMap("u", RIGHT)), true))
			.hasSize(1);
	}

	private static LiveObject configMap(String controller, String checksum) {
		return configMap(controller, checksum, "one");
	}

	private static LiveObject configMap(String controller, String checksum, String team) {
		return new LiveObject(new ObjectRef("", "configmaps", "default", "c"), "c", "8", controller, false,
				Map.of("team", team, "secret", "s"), Map.of("k", checksum));
	}

}
