package dev.sharding.internal.core;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of protocol scenarios names each scenario once, and only tests that assert
 * something; a test that names a scenario stands in the row of it. The page of promises
 * names only such tests, too.
 */
class ProtocolCoverageTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+) \\| [^|]+ \\| [^|]+ \\|$");

	private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*(?:Tests|IT))(?:\\.(\\w+))?`");

	private static final Pattern IS_TEST = Pattern.compile("@(Test|TestFactory|ParameterizedTest|Property|Example)\\b");

	private static final Pattern ASSERTION = Pattern.compile("assert|\\.until\\(");

	/* The members of a class are indented by one tab. */
	private static final Function<String, Pattern> METHOD = (name) -> Pattern
		.compile("(?s)((?:\t@[^\n]*\n(?:\t\t[^\n]*\n)*)*)\t[^\n\t@/*][^\n]*\\b" + name + "\\((.*?\n)\t\\}\n");

	private static final Pattern SCENARIO = Pattern
		.compile("@DisplayName\\(\"Scenario (\\d+(?:, \\d+)*)[^\\n]*\\n(?:\t@[^\\n]*\\n)*\tvoid (\\w+)\\(");

	private final String table = read(ROOT.resolve("docs/protocol-coverage.md"));

	@Test
	void everyScenarioHasItsRow() {
		assertThat(ROW.matcher(this.table).results().map((row) -> Integer.parseInt(row.group(1))))
			.containsExactlyElementsOf(IntStream.rangeClosed(1, 136).boxed().toList());
	}

	@ParameterizedTest
	@ValueSource(strings = { "protocol-coverage.md", "seeds.md" })
	void everyNamedTestIsOneAndAssertsSomething(String page) throws IOException {
		List<Path> sources = sources();
		List<String> empty = new ArrayList<>();
		String text = read(ROOT.resolve("docs").resolve(page));
		assertThat(TEST.matcher(text).results().count()).isGreaterThan(40);
		TEST.matcher(text).results().forEach((named) -> {
			String source = read(fileOf(named.group(1), sources));
			boolean asserts = (named.group(2) == null) ? ASSERTION.matcher(source).find()
					: asserts(source, named.group(2));
			if (!asserts) {
				empty.add(named.group());
			}
		});
		assertThat(empty).isEmpty();
	}

	private static boolean asserts(String source, String name) {
		Matcher method = METHOD.apply(name).matcher(source);
		return method.find() && IS_TEST.matcher(method.group(1)).find()
				&& ASSERTION.matcher(method.group(2) + helpers(source, method.group(2))).find();
	}

	/* What a test calls in its own class asserts as well. */
	private static String helpers(String source, String body) {
		return Pattern.compile("\\b([a-z]\\w*)\\(")
			.matcher(body)
			.results()
			.map((call) -> METHOD.apply(call.group(1)).matcher(source))
			.filter(Matcher::find)
			.map((found) -> found.group(2))
			.collect(Collectors.joining());
	}

	@Test
	void aTestThatNamesAScenarioIsInItsRow() throws IOException {
		List<String> scenarios = new ArrayList<>();
		List<String> missing = new ArrayList<>();
		for (Path file : sources()) {
			String source = file.toString().endsWith(".java") ? read(file) : "";
			SCENARIO.matcher(source).results().forEach((found) -> {
				String test = file.getFileName().toString().replace(".java", ".") + found.group(2);
				for (String number : found.group(1).split(",\\s*")) {
					scenarios.add(number);
					if (!row(number).contains("`" + test + "`")) {
						missing.add(number + " " + test);
					}
				}
			});
		}
		assertThat(scenarios).hasSizeGreaterThan(30);
		assertThat(missing).isEmpty();
	}

	private String row(String number) {
		return ROW.matcher(this.table)
			.results()
			.filter((row) -> row.group(1).equals(number))
			.map(MatchResult::group)
			.findFirst()
			.orElse("");
	}

	private static Path fileOf(String test, List<Path> sources) {
		List<Path> files = sources.stream().filter((file) -> file.endsWith(test + ".java")).toList();
		assertThat(files).as(test).hasSize(1);
		return files.get(0);
	}

	private static List<Path> sources() throws IOException {
		List<Path> sources = new ArrayList<>();
		try (DirectoryStream<Path> modules = Files.newDirectoryStream(ROOT, "*")) {
			for (Path module : modules) {
				sources.addAll(sources(module.resolve("src/test/java")));
			}
		}
		return sources;
	}

	private static List<Path> sources(Path folder) throws IOException {
		if (!Files.isDirectory(folder)) {
			return List.of();
		}
		try (Stream<Path> files = Files.walk(folder)) {
			return files.toList();
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new AssertionError("Failed to read " + file, ex);
		}
	}

}
