package dev.sharding.protocol;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ShardingLabelsTests {

	@Test
	@DisplayName("1 label key for the shard ends with the ring")
	void shardLabelEndsWithRing() {
		assertThat(ShardingLabels.shard("my-ring")).isEqualTo("shard.alpha.sharding.timebertt.dev/my-ring");
	}

	@Test
	@DisplayName("2 label key for the drain ends with the ring")
	void drainLabelEndsWithRing() {
		assertThat(ShardingLabels.drain("my-ring")).isEqualTo("drain.alpha.sharding.timebertt.dev/my-ring");
	}

	@Test
	@DisplayName("3 lease selector of a ring")
	void leaseSelectorNamesRing() {
		assertThat(ShardingLabels.leaseSelector("my-ring"))
			.isEqualTo("alpha.sharding.timebertt.dev/controllerring=my-ring");
	}

	@Test
	@DisplayName("4 shard and drain label of every ring are told from other labels")
	void tellsShardingLabelsFromOthers() {
		assertThat(ShardingLabels.isSharding(ShardingLabels.shard("a"))).isTrue();
		assertThat(ShardingLabels.isSharding(ShardingLabels.drain("b.c"))).isTrue();
		assertThat(ShardingLabels.isSharding(ShardingLabels.LEASE_STATE)).isFalse();
		assertThat(ShardingLabels.isSharding("app")).isFalse();
	}

}
