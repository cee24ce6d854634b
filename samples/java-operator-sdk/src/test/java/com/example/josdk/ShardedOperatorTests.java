package com.example.josdk;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.sharding.test.spring.ShardingTest;
import dev.sharding.test.spring.TestRing;
import dev.sharding.test.spring.TestShard;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@ShardingTest(main = Secret.class, controlled = ConfigMap.class)
class ShardedOperatorTests {

	@Test
	void sharesTheWorkAndHandsItOver(TestRing ring) {
		soon().untilAsserted(() -> assertThat(ring.shard()).isRunning());
		TestShard second = ring.startShard("shard-2");
		soon().untilAsserted(() -> assertThat(second).isRunning());
		List<Secret> secrets = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			secrets.add(create(ring, "secret-" + i));
		}
		soon().untilAsserted(() -> assertThat(owners(ring, secrets)).containsOnly("shard-1", "shard-2"));
		soon().untilAsserted(() -> assertThat(ring).isSettled());
		for (Secret secret : secrets) {
			change(ring, secret, "first");
		}
		soon().untilAsserted(() -> assertReconciled(ring, secrets, "first"));

		// A third one comes: the two acknowledge drains, for what is now the third's.
		TestShard third = ring.startShard("shard-3");
		soon().untilAsserted(() -> assertThat(third).isRunning());
		soon().untilAsserted(() -> assertThat(owners(ring, secrets)).contains("shard-3"));
		soon().untilAsserted(() -> assertThat(ring).isSettled());
		for (Secret secret : secrets) {
			change(ring, secret, "second");
		}
		soon().untilAsserted(() -> assertReconciled(ring, secrets, "second"));

		// It goes: its Lease is given back when its operator has stopped, and all have owners again.
		third.close();
		soon().untilAsserted(() -> assertThat(owners(ring, secrets)).doesNotContain("shard-3"));
		for (Secret secret : secrets) {
			change(ring, secret, "third");
		}
		soon().untilAsserted(() -> assertReconciled(ring, secrets, "third"));
	}

	@Test
	void stopsWithItsLeaseAndStartsAgain(TestRing ring) {
		soon().untilAsserted(() -> assertThat(ring.shard()).isRunning());
		ring.shard().loseLease();
		soon().untilAsserted(() -> assertThat(ring.shard()).isRunning().holdsItsLease());
		Secret secret = create(ring, "late");
		soon().untilAsserted(() -> assertThat(configMap(ring, secret)).isNotNull());
	}

	private static Secret create(TestRing ring, String name) {
		return ring.client()
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(ring.name())
				.withName(name)
				.endMetadata()
				.addToStringData("key", name)
				.build())
			.create();
	}

	private static void change(TestRing ring, Secret secret, String key) {
		ring.client().secrets().inNamespace(ring.name()).withName(secret.getMetadata().getName()).edit((current) -> {
			current.getData().put(key, "YQ==");
			return current;
		});
	}

	private static List<String> owners(TestRing ring, List<Secret> secrets) {
		return secrets.stream().map((secret) -> ring.ownerOf(secret).orElse("nobody")).toList();
	}

	private static void assertReconciled(TestRing ring, List<Secret> secrets, String key) {
		for (Secret secret : secrets) {
			ConfigMap configMap = configMap(ring, secret);
			assertThat(configMap).isNotNull();
			assertThat(configMap.getData()).containsKey(key);
			assertThat(ring.ownerOf(configMap)).isEqualTo(ring.ownerOf(secret));
		}
	}

	private static ConfigMap configMap(TestRing ring, Secret secret) {
		return ring.client()
			.configMaps()
			.inNamespace(ring.name())
			.withName("checksums-" + secret.getMetadata().getName())
			.get();
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(100));
	}

}
