package dev.sharding.internal.core.key;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.protocol.ShardingLabels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ShardingNamesTests {

	@ParameterizedTest
	@ValueSource(strings = { "a", "shard-1", "a.b-c.d", "0", "checksum-controller-c95c4fdb6-7jb2v" })
	void acceptsWhatIsLeaseNameAndLabelValue(String name) {
		assertThat(ShardingNames.requireShard(name)).isEqualTo(name);
		assertThat(ShardingNames.requireRing(name)).isEqualTo(name);
	}

	@ParameterizedTest
	@ValueSource(strings = { "-a", "a-", "A", "a_b", "a..b", ".a", "a.", "a/b", "a b", "ä" })
	void refusesWhatIsNoLeaseName(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> ShardingNames.requireShard(name))
			.withMessageStartingWith("Shard name '" + name + "' must consist of");
	}

	@Test
	void refusesWhatIsTooLongForLabel() {
		assertThat(ShardingNames.requireShard("a".repeat(63))).hasSize(63);
		assertThatIllegalArgumentException().isThrownBy(() -> ShardingNames.requireRing("a".repeat(64)))
			.withMessageContaining("at most 63 characters (has 64)");
	}

	@Test
	void refusesEmptyName() {
		assertThatIllegalArgumentException().isThrownBy(() -> ShardingNames.requireShard(""))
			.withMessage("Shard name must not be empty");
	}

	@Test
	void refusesTheNameOfTheSharderForAShard() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> ShardingNames.requireShard(ShardingLabels.SHARDER_IDENTITY))
			.withMessageContaining("'shardlease-controller' is what the sharder calls itself");
		assertThat(ShardingNames.requireRing(ShardingLabels.SHARDER_IDENTITY)).isNotEmpty();
	}

}
