package dev.sharding.core;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of protocol scenarios names each scenario once, and only tests that exist.
 */
class ProtocolCoverageTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+) \\| [^|]+ \\| [^|]+ \\|$");

	private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*(?:Tests|IT))(?:\\.(\\w+))?`");

	private final String table = read(ROOT.resolve("docs/protocol-coverage.md"));

	@Test
	void everyScenarioHasItsRow() {
		assertThat(ROW.matcher(this.table).results().map((row) -> Integer.parseInt(row.group(1))))
			.containsExactlyElementsOf(IntStream.rangeClosed(1, 136).boxed().toList());
	}

	@Test
	void everyNamedTestExists() throws IOException {
		List<Path> sources = new ArrayList<>();
		try (DirectoryStream<Path> modules = Files.newDirectoryStream(ROOT, "*")) {
			for (Path module : modules) {
				sources.addAll(sources(module.resolve("src/test/java")));
			}
		}
		assertThat(TEST.matcher(this.table).results()).isNotEmpty().allSatisfy((test) -> {
			assertThat(sources).filteredOn((file) -> file.endsWith(test.group(1) + ".java"))
				.singleElement()
				.satisfies((file) -> assertThat(read(file)).contains(method(test)));
		});
	}

	private static List<Path> sources(Path folder) throws IOException {
		if (!Files.isDirectory(folder)) {
			return List.of();
		}
		try (Stream<Path> files = Files.walk(folder)) {
			return files.toList();
		}
	}

	private static String method(MatchResult test) {
		return (test.group(2) != null) ? " " + test.group(2) + "(" : "class " + test.group(1);
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
