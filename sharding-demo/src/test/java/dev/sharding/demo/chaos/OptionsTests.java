package dev.sharding.demo.chaos;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.sharding.demo.Fault;
import dev.sharding.demo.ShardProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class OptionsTests {

	@Test
	void hasDefaultsAndTakesTheSeedFromTheClock() {
		assertThat(Options.parse(List.of(), 17))
			.isEqualTo(new Options(new Extent(3, 3, 120, 2, Extent.WINDOW_MILLIS, false), 17, null,
					EnumSet.allOf(Kind.class), ShardProgram.EXAMPLE, Fault.NONE, Control.rotating(17, 2), false));
	}

	@Test
	void takesWhatItIsGiven() {
		assertThat(Options.parse(List.of("--minutes", "30", "--shards", "4", "--objects", "500", "--rings", "1",
				"--slots", "--seed", "-5", "--replay", "a/schedule.jsonl", "--only", "kill-shard,roll-out-shards",
				"--shard", "josdk", "--shrink", "--break", "fence"), 17))
			.isEqualTo(new Options(new Extent(30, 4, 500, 1, Extent.WINDOW_MILLIS, true), -5,
					Path.of("a/schedule.jsonl"), EnumSet.of(Kind.KILL_SHARD, Kind.ROLL_OUT_SHARDS), ShardProgram.JOSDK,
					Fault.FENCE, List.of(), true));
		assertThat(Options.parse(List.of("--shard", "josdk"), 17).controls()).isEmpty();
	}

	@Test
	void playsAllControlsOrThoseThatAreNamedOrNone() {
		assertThat(Options.parse(List.of("--controls"), 17).controls()).containsExactly(Control.values());
		assertThat(Options.parse(List.of("--controls", "--minutes", "1"), 17).controls())
			.containsExactly(Control.values());
		assertThat(Options.parse(List.of("--controls", "steal,ACK"), 17).controls()).containsExactly(Control.STEAL,
				Control.ACK);
		assertThat(Options.parse(List.of("--controls", "none"), 17).controls()).isEmpty();
	}

	@Test
	void rotatesSoThatEachControlIsPlayedNowAndThen() {
		Set<Control> played = new HashSet<>();
		for (long seed = 0; seed < 100; seed++) {
			List<Control> two = Options.parse(List.of("--seed", String.valueOf(seed)), 0).controls();
			assertThat(two).hasSize(2).doesNotHaveDuplicates().isEqualTo(Control.rotating(seed, 2));
			played.addAll(two);
		}
		assertThat(played).containsExactlyInAnyOrder(Control.values());
	}

	@ParameterizedTest
	@EnumSource
	void hasAScheduleForEachControlThatIsReadAsItIsWritten(Control control) {
		Schedule schedule = control.schedule(7);
		assertThat(ScheduleLines.parse(ScheduleLines.of(schedule))).isEqualTo(schedule);
		assertThat(schedule.of(1)).isNotEmpty()
			.allMatch((fault) -> fault.at() + fault.lasts() <= schedule.extent().windowMillis());
	}

	@ParameterizedTest
	@ValueSource(strings = { "--minutes", "--minutes x", "--minutes 0", "--shards 21", "--objects -1", "--rings 6",
			"--seed 1.5", "--replay", "--break none", "--other 1", "--slots 3", "--shrink x", "--controls x",
			"--controls ack,", "--only", "--only kill-shard,rain", "--shard other", "--shard josdk --break ack" })
	void refusesWhatItDoesNotKnow(String arguments) {
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of(arguments.split(" ")), 17));
	}

}
