package dev.sharding.demo;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FrameTests {

	private static final BoardView VIEW = new BoardView(
			Map.of("shard-1", new BoardView.Row("ready", 1000), "shard-2", new BoardView.Row("dead", 0)), 1000, 0, 3,
			998);

	@Test
	void fitsEveryLineIntoTheTerminal() {
		StepResult step = new StepResult("A fourth shard joins", 2100, "a very long note ".repeat(20), true);
		for (int width : new int[] { 80, 100, 120 }) {
			List<String> lines = new Frame(width, false).lines(VIEW, Duration.ofSeconds(75), 1204, List.of(step),
					"shard-2 stops gracefully", Duration.ofSeconds(1));
			assertThat(lines).allSatisfy((line) -> assertThat(line.length()).isLessThanOrEqualTo(width));
		}
	}

	@Test
	void showsWhoOwnsWhatAndWhatHappened() {
		List<String> lines = new Frame(80, false).lines(VIEW, Duration.ofSeconds(75), 1204,
				List.of(new StepResult("It broke", 2100, "", false)), "Next", Duration.ofSeconds(1));
		assertThat(String.join("\n", lines)).contains("1:15")
			.containsPattern("shard-1 +ready +█+ +1,000")
			.containsPattern("shard-2 +dead +·+ +0")
			.contains("draining 3", "checksums up to date 998 of 1,000", "✗ It broke", "▸ Next");
	}

	@Test
	void writesNoEscapesWithoutColour() {
		assertThat(String.join("", new Frame(80, false).lines(VIEW, Duration.ZERO, 0, List.of(), "", Duration.ZERO)))
			.doesNotContain("\u001B");
		assertThat(String.join("", new Frame(80, true).lines(VIEW, Duration.ZERO, 0, List.of(), "", Duration.ZERO)))
			.contains("\u001B[38;5;");
	}

}
