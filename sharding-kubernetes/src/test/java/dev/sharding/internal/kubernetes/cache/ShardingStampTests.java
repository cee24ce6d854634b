package dev.sharding.internal.kubernetes.cache;

import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.junit.jupiter.api.Test;

import dev.sharding.protocol.ShardingLabels;

import static org.assertj.core.api.Assertions.assertThat;

class ShardingStampTests {

	private static final String SHARD = ShardingLabels.shard("ring");

	private static final String DRAIN = ShardingLabels.drain("ring");

	private static final String OTHER_RING = ShardingLabels.shard("other");

	private final ShardingStamp ours = new ShardingStamp("ring", () -> "s1", (object) -> true);

	private final ShardingStamp foreign = new ShardingStamp("ring", () -> "s1", (object) -> false);

	@Test
	void aNewObjectOfOurMainObjectIsOurs() {
		ConfigMap outgoing = object(null, Map.of("user", "label"));
		this.ours.onCreate(outgoing);
		assertThat(outgoing.getMetadata().getLabels()).containsOnly(Map.entry("user", "label"), Map.entry(SHARD, "s1"));
	}

	@Test
	void shardingLabelsCopiedFromTheMainObjectDoNotReachANewObject() {
		ConfigMap outgoing = object(null, Map.of(SHARD, "old", DRAIN, "true", "user", "label"));
		this.ours.onCreate(outgoing);
		assertThat(outgoing.getMetadata().getLabels()).containsOnly(Map.entry("user", "label"), Map.entry(SHARD, "s1"));
	}

	@Test
	void aNewObjectOfNobodyIsLeftAsItIs() {
		ConfigMap outgoing = object(null, Map.of("user", "label"));
		this.foreign.onCreate(outgoing);
		assertThat(outgoing.getMetadata().getLabels()).containsOnly(Map.entry("user", "label"));
	}

	@Test
	void aChangeThatLostTheLabelsKeepsThem() {
		ConfigMap outgoing = object("7", Map.of("user", "new"));
		this.foreign.onChange(outgoing, object("7", Map.of("user", "old", SHARD, "s1", OTHER_RING, "x")));
		assertThat(outgoing.getMetadata().getLabels()).containsOnly(Map.entry("user", "new"), Map.entry(SHARD, "s1"),
				Map.entry(OTHER_RING, "x"));
	}

	@Test
	void aChangeOfTheSameVersionCannotAddOrAlterShardingLabels() {
		ConfigMap outgoing = object("7", Map.of(SHARD, "elsewhere", DRAIN, "true"));
		this.foreign.onChange(outgoing, object("7", Map.of(SHARD, "s1")));
		assertThat(outgoing.getMetadata().getLabels()).containsOnly(Map.entry(SHARD, "s1"));
	}

	@Test
	void aCopyNewerThanTheCacheKeepsItsOwnLabels() {
		ConfigMap outgoing = object("8", Map.of(SHARD, "s2"));
		this.foreign.onChange(outgoing, object("7", Map.of(SHARD, "s1")));
		assertThat(outgoing.getMetadata().getLabels()).containsOnly(Map.entry(SHARD, "s2"));
	}

	@Test
	void anAppliedObjectOfOursThatIsNotCachedIsStamped() {
		ConfigMap outgoing = object(null, null);
		this.ours.onChange(outgoing, null);
		assertThat(outgoing.getMetadata().getLabels()).containsOnly(Map.entry(SHARD, "s1"));
	}

	@Test
	void outsideARingNothingIsStampedAndForeignLabelsAreKept() {
		ConfigMap created = object(null, null);
		ShardingStamp.NONE.onCreate(created);
		assertThat(created.getMetadata().getLabels()).isNullOrEmpty();
		ConfigMap changed = object("7", null);
		ShardingStamp.NONE.onChange(changed, object("7", Map.of(SHARD, "s1")));
		assertThat(changed.getMetadata().getLabels()).containsOnly(Map.entry(SHARD, "s1"));
	}

	private static ConfigMap object(String version, Map<String, String> labels) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName("a")
			.withResourceVersion(version)
			.withLabels(labels)
			.endMetadata()
			.build();
	}

}
