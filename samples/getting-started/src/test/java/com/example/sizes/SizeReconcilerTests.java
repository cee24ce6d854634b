package com.example.sizes;

import java.time.Duration;
import java.util.Map;

import dev.sharding.test.spring.ShardingTest;
import dev.sharding.test.spring.TestRing;
import dev.sharding.test.spring.TestShard;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@ShardingTest(main = Secret.class, controlled = ConfigMap.class)
class SizeReconcilerTests {

	@BeforeAll
	static void patience() {
		Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
	}

	@Test
	void notesTheSizeOfEachValue(TestRing ring) {
		Secret secret = create(ring, "password", "key", "secret");
		Awaitility.await()
			.untilAsserted(() -> assertThat(sizes(ring, secret)).containsExactly(Map.entry("key", "6 bytes")));
	}

	@Test
	void anotherReplicaTakesItsShare(TestRing ring) {
		for (int i = 0; i < 20; i++) {
			create(ring, "shared-" + i, "key", "value");
		}
		TestShard second = ring.startShard("shard-2");
		Awaitility.await().untilAsserted(() -> assertThat(second).isRunning());
		Awaitility.await().untilAsserted(() -> assertThat(ring).isSettled());
	}

	private static Secret create(TestRing ring, String name, String key, String value) {
		return ring.client()
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(ring.name())
				.withName(name)
				.endMetadata()
				.addToStringData(key, value)
				.build())
			.create();
	}

	private static Map<String, String> sizes(TestRing ring, Secret secret) {
		ConfigMap sizes = ring.client()
			.configMaps()
			.inNamespace(ring.name())
			.withName("sizes-" + secret.getMetadata().getName())
			.get();
		return (sizes != null) ? sizes.getData() : Map.of();
	}

}
