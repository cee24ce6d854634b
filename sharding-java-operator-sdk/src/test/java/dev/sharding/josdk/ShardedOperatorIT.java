package dev.sharding.josdk;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.spring.ShardingTest;
import dev.sharding.test.spring.TestRing;
import dev.sharding.test.spring.TestShard;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A plain operator on java-operator-sdk as two shards of a ring.
 */
@ShardingTest(main = Secret.class, controlled = ConfigMap.class, classes = CopyOperator.class)
class ShardedOperatorIT {

	private final TestRing ring;

	ShardedOperatorIT(TestRing ring) {
		this.ring = ring;
	}

	@Test
	void sharesTheWorkAndHandsItOver() {
		soon().untilAsserted(() -> assertThat(this.ring.shard()).isRunning());
		List<Secret> secrets = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			secrets.add(create("secret-" + i));
		}
		soon().untilAsserted(() -> secrets.forEach(this::assertCopiesAreWhereTheyBelong));
		try (TestShard second = this.ring.startShard("shard-2")) {
			soon().until(() -> secrets.stream().map(this::owner).anyMatch("shard-2"::equals));
			soon().untilAsserted(() -> assertThat(this.ring).isSettled());
			soon().untilAsserted(() -> secrets.forEach(this::assertCopiesAreWhereTheyBelong));
			for (Secret secret : secrets) {
				reconciler(this.ring.shard()).reconciles.clear();
				reconciler(second).reconciles.clear();
				change(secret, "YQ==");
			}
			soon().untilAsserted(() -> secrets.forEach((secret) -> {
				assertThat(configMap("copy-", secret).getData()).containsEntry("key", "YQ==");
				assertThat(configMap("applied-", secret).getData()).containsEntry("key", "YQ==");
			}));
			for (Secret secret : secrets) {
				String other = owner(secret).equals("shard-2") ? ShardingTest.SHARD : "shard-2";
				TestShard shard = other.equals("shard-2") ? second : this.ring.shard();
				assertThat(reconciler(shard).reconciles).doesNotContainKey(secret.getMetadata().getName());
			}
		}
		soon().untilAsserted(() -> assertThat(secrets.stream().map(this::owner)).containsOnly(ShardingTest.SHARD));
		soon().untilAsserted(() -> secrets.forEach(this::assertCopiesAreWhereTheyBelong));
	}

	@Test
	void appliesNothingAgainThatIsAsItShouldBe() {
		soon().untilAsserted(() -> assertThat(this.ring.shard()).isRunning());
		Secret secret = create("quiet");
		soon().untilAsserted(() -> assertCopiesAreWhereTheyBelong(secret));
		int before = reconciler(this.ring.shard()).reconciles.get("quiet");
		this.ring.client()
			.secrets()
			.inNamespace(this.ring.name())
			.withName("quiet")
			.edit((current) -> new SecretBuilder(current).editMetadata()
				.addToAnnotations("note", "1")
				.endMetadata()
				.build());
		soon().until(() -> reconciler(this.ring.shard()).reconciles.get("quiet") > before);
		assertThat(CopyOperator.Applied.WRITES).doesNotContain("quiet");
	}

	@Test
	void metersOfTheSdkTellTheShard() {
		soon().untilAsserted(() -> assertThat(this.ring.shard()).isRunning());
		create("measured");
		MeterRegistry meters = this.ring.shard().context().getBean(MeterRegistry.class);
		soon().until(() -> !ofSdk(meters, "operator.sdk.").isEmpty() && !ofSdk(meters, "reconciliations.").isEmpty());
		Set<Tag> expected = Set.of(Tag.of("ring", this.ring.name()), Tag.of("shard", ShardingTest.SHARD));
		List<Meter.Id> found = new ArrayList<>(ofSdk(meters, "operator.sdk."));
		found.addAll(ofSdk(meters, "reconciliations."));
		assertThat(found).allSatisfy((meter) -> assertThat(meter.getTags()).containsAll(expected));
	}

	private static List<Meter.Id> ofSdk(MeterRegistry meters, String prefix) {
		return meters.getMeters()
			.stream()
			.map(Meter::getId)
			.filter((meter) -> meter.getName().startsWith(prefix))
			.toList();
	}

	private void assertCopiesAreWhereTheyBelong(Secret secret) {
		for (String prefix : List.of("copy-", "applied-")) {
			ConfigMap copy = configMap(prefix, secret);
			assertThat(copy).isNotNull();
			ObjectMeta metadata = copy.getMetadata();
			assertThat(metadata.getLabels()).containsEntry(ShardingLabels.shard(this.ring.name()), owner(secret));
			assertThat(metadata.getOwnerReferences()).singleElement()
				.satisfies((owner) -> assertThat(owner.getController()).isTrue());
		}
	}

	private static CopyOperator.CopyReconciler reconciler(TestShard shard) {
		return shard.context().getBean(CopyOperator.CopyReconciler.class);
	}

	private String owner(Secret secret) {
		return this.ring.ownerOf(secret).orElse("nobody");
	}

	private void change(Secret secret, String value) {
		this.ring.client()
			.secrets()
			.inNamespace(this.ring.name())
			.withName(secret.getMetadata().getName())
			.edit((current) -> new SecretBuilder(current).addToData("key", value).build());
	}

	private @Nullable ConfigMap configMap(String prefix, Secret secret) {
		return this.ring.client()
			.configMaps()
			.inNamespace(this.ring.name())
			.withName(prefix + secret.getMetadata().getName())
			.get();
	}

	private Secret create(String name) {
		return this.ring.client()
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.ring.name())
				.withName(name)
				.endMetadata()
				.build())
			.create();
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(50));
	}

}
