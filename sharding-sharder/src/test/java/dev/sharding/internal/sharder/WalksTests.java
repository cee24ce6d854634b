package dev.sharding.internal.sharder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of walks names classes that there are, in the order in which they lead to each
 * other.
 */
class WalksTests {

	private static final int MOST = 15;

	private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\| `(\\w+)` \\| ([^|]+) \\| (\\d+(?:, \\d+)*) \\|");

	private static final List<Path> SOURCES = List.of(Path.of("..", "sharding-core", "src", "main", "java"),
			Path.of("..", "sharding-sharder", "src", "main", "java"));

	@Test
	void isOneLineForEachClassAndNotTooLong() throws IOException {
		List<Step> steps = steps();
		assertThat(steps).hasSizeBetween(2, MOST);
		assertThat(steps).extracting(Step::name).doesNotHaveDuplicates();
		for (int i = 0; i < steps.size(); i++) {
			assertThat(steps.get(i).number()).isEqualTo(i + 1);
		}
	}

	@Test
	void namesClassesThatThereAre() throws IOException {
		for (Step step : steps()) {
			assertThat(sources(step.name())).as(step.name()).hasSize(1);
		}
	}

	@Test
	void eachClassKnowsThoseThatItLeadsToOrTheyKnowIt() throws IOException {
		List<Step> steps = steps();
		for (Step step : steps) {
			for (int next : step.then()) {
				String to = steps.get(next - 1).name();
				assertThat(knows(step.name(), to) || knows(to, step.name())).as("%s leads to %s", step.name(), to)
					.isTrue();
			}
		}
		// Each but the first is reached from one before it.
		for (Step step : steps.subList(1, steps.size())) {
			assertThat(steps.subList(0, step.number() - 1)).as(step.name())
				.anySatisfy((earlier) -> assertThat(earlier.then()).contains(step.number()));
		}
	}

	private static List<Step> steps() throws IOException {
		List<Step> steps = new ArrayList<>();
		for (String line : Files.readAllLines(Path.of("..", "docs", "walks.md"))) {
			if (line.matches("\\| \\d.*")) {
				Matcher row = ROW.matcher(line);
				assertThat(row.matches()).as(line).isTrue();
				steps.add(new Step(Integer.parseInt(row.group(1)), row.group(2),
						Arrays.stream(row.group(4).split(", ")).map(Integer::valueOf).toList()));
			}
		}
		return steps;
	}

	private static boolean knows(String name, String other) throws IOException {
		String source = Files.readString(sources(name).get(0));
		return Pattern.compile("\\b" + other + "\\b").matcher(source).find();
	}

	private static List<Path> sources(String name) throws IOException {
		List<Path> found = new ArrayList<>();
		for (Path folder : SOURCES) {
			try (Stream<Path> files = Files.walk(folder)) {
				files.filter((file) -> file.endsWith(name + ".java")).forEach(found::add);
			}
		}
		return found;
	}

	/**
	 * A row of the page.
	 *
	 * @param number its place
	 * @param name the class
	 * @param then the places of the classes that it leads to
	 */
	private record Step(int number, String name, List<Integer> then) {
	}

}
