package dev.sharding.example;

import java.time.Duration;
import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.sharding.protocol.ShardingLabels;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.test.spring.ShardingTest;
import dev.sharding.test.spring.TestRing;
import dev.sharding.test.spring.TestShard;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application as one shard, without a sharder: the test assigns the Secrets.
 */
@ShardingTest(main = Secret.class, controlled = ConfigMap.class, sharder = false, properties = "checksums.stamp=true")
class ChecksumApplicationIT {

	private final TestRing ring;

	ChecksumApplicationIT(TestRing ring) {
		this.ring = ring;
	}

	@Test
	void keepsAConfigMapForEverySecretOfTheShard() {
		create("password", ShardingTest.SHARD, Map.of("key", "value"));
		soon().untilAsserted(() -> {
			ConfigMap created = configMap("password").get();
			assertThat(created).isNotNull();
			assertThat(created.getData())
				.containsExactly(Map.entry("key", "cd42404d52ad55ccfa9aca4adc828aa5800ad9d385a0671fbcbf724118320619"));
			assertThat(created.getMetadata().getLabels()).containsEntry("secret", "password")
				.containsEntry("color", "blue")
				.containsEntry(shardLabel(), ShardingTest.SHARD);
			assertThat(created.getMetadata().getAnnotations()).containsEntry("checksums.example/shard",
					ShardingTest.SHARD);
			assertThat(created.getMetadata().getOwnerReferences()).singleElement()
				.satisfies((owner) -> assertThat(owner.getController()).isTrue());
		});
	}

	@Test
	void followsTheSecret() {
		create("changing", ShardingTest.SHARD, Map.of("key", "value"));
		soon().until(() -> configMap("changing").get() != null);
		this.ring.client().secrets().inNamespace(this.ring.name()).withName("changing").edit((secret) -> {
			secret.getData().put("another", "YQ==");
			return secret;
		});
		soon()
			.untilAsserted(() -> assertThat(configMap("changing").get().getData()).containsOnlyKeys("key", "another"));
	}

	@Test
	void rebuildsWhatSomebodyDeletesOrEdits() {
		create("touched", ShardingTest.SHARD, Map.of("key", "value"));
		soon().until(() -> configMap("touched").get() != null);
		String uid = configMap("touched").get().getMetadata().getUid();
		configMap("touched").delete();
		soon().untilAsserted(() -> {
			assertThat(configMap("touched").get()).isNotNull();
			assertThat(configMap("touched").get().getMetadata().getUid()).isNotEqualTo(uid);
		});
		configMap("touched").edit((configMap) -> {
			configMap.getData().put("key", "forged");
			configMap.getMetadata().getLabels().put("color", "red");
			return configMap;
		});
		soon().untilAsserted(() -> {
			assertThat(configMap("touched").get().getData()).containsEntry("key", Checksums.of("value"));
			assertThat(configMap("touched").get().getMetadata().getLabels()).containsEntry("color", "blue");
		});
	}

	@Test
	void leavesSecretsOfOtherShardsAlone() {
		create("theirs", "shard-b", Map.of("key", "value"));
		create("ours", ShardingTest.SHARD, Map.of("key", "value"));
		soon().until(() -> configMap("ours").get() != null);
		assertThat(configMap("theirs").get()).isNull();
	}

	@Test
	void letsGoOfASecretThatTheSharderAsksFor() {
		Secret secret = create("wanted", ShardingTest.SHARD, Map.of("key", "value"));
		soon().until(() -> configMap("wanted").get() != null);
		this.ring.shard().drain(secret);
		soon().untilAsserted(() -> assertThat(this.ring.shard()).doesNotOwn(secret));
		assertThat(this.ring.isDraining(secret)).isFalse();
	}

	@Test
	void releasesItsLeaseWhenItStops() {
		TestShard other = this.ring.startShard("shard-c");
		soon().untilAsserted(() -> assertThat(other).holdsItsLease());
		other.close();
		assertThat(other).isIn(RuntimePhase.STOPPED);
		assertThat(this.ring.client()
			.leases()
			.inNamespace(this.ring.name())
			.withName("shard-c")
			.get()
			.getSpec()
			.getHolderIdentity()).isEmpty();
	}

	private String shardLabel() {
		return ShardingLabels.shard(this.ring.name());
	}

	private Secret create(String name, String shard, Map<String, String> data) {
		return this.ring.client()
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.ring.name())
				.withName(name)
				.addToLabels(shardLabel(), shard)
				.addToLabels("color", "blue")
				.endMetadata()
				.withStringData(data)
				.build())
			.create();
	}

	private Resource<ConfigMap> configMap(String secret) {
		return this.ring.client().configMaps().inNamespace(this.ring.name()).withName("checksums-" + secret);
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
	}

}
