package dev.sharding.demo.chaos;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;

import dev.sharding.demo.Fault;
import dev.sharding.demo.ShardProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class OptionsTests {

	@Test
	void hasDefaultsAndTakesTheSeedFromTheClock() {
		assertThat(Options.parse(List.of(), 17)).isEqualTo(new Options(new Extent(3, 3, 120, 2, Extent.WINDOW_MILLIS),
				17, null, EnumSet.allOf(Kind.class), ShardProgram.EXAMPLE, Fault.NONE));
	}

	@Test
	void takesWhatItIsGiven() {
		assertThat(Options.parse(List.of("--minutes", "30", "--shards", "4", "--objects", "500", "--rings", "1",
				"--seed", "-5", "--replay", "a/schedule.jsonl", "--only", "kill-shard,roll-out-shards", "--shard",
				"josdk", "--break", "fence"), 17))
			.isEqualTo(new Options(new Extent(30, 4, 500, 1, Extent.WINDOW_MILLIS), -5, Path.of("a/schedule.jsonl"),
					EnumSet.of(Kind.KILL_SHARD, Kind.ROLL_OUT_SHARDS), ShardProgram.JOSDK, Fault.FENCE));
	}

	@ParameterizedTest
	@ValueSource(strings = { "--minutes", "--minutes x", "--minutes 0", "--shards 21", "--objects -1", "--rings 6",
			"--seed 1.5", "--replay", "--break none", "--break lazy", "--other 1", "--only", "--only kill-shard,rain",
			"--shard other", "--shard josdk --break ack" })
	void refusesWhatItDoesNotKnow(String arguments) {
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of(arguments.split(" ")), 17));
	}

}
