package dev.sharding.test.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sample follows the page literally, so whoever follows the page gets what the sample
 * is tested for.
 */
class GettingStartedPageTests {

	private static final Path SAMPLE = Path.of("../samples/getting-started");

	private static final Pattern FILE = Pattern.compile("(?ms)^`([^`\\n]+)`:\\n\\n```\\w+\\n(.*?)^```$");

	@Test
	void showsEveryFileOfTheSample() throws IOException {
		Map<String, String> shown = new TreeMap<>();
		Matcher files = FILE.matcher(Files.readString(Path.of("../docs/getting-started.md")));
		while (files.find()) {
			shown.put(files.group(1), files.group(2));
		}
		assertThat(shown.keySet()).isEqualTo(filesOfTheSample());
		for (Map.Entry<String, String> file : shown.entrySet()) {
			assertThat(file.getValue()).as(file.getKey()).isEqualTo(Files.readString(SAMPLE.resolve(file.getKey())));
		}
	}

	private static Set<String> filesOfTheSample() throws IOException {
		try (Stream<Path> files = Files.walk(SAMPLE)) {
			return files.filter(Files::isRegularFile)
				.map((file) -> SAMPLE.relativize(file).toString())
				.filter((file) -> !file.startsWith("target/"))
				// For readers of this repository.
				.filter((file) -> !file.endsWith("/package-info.java"))
				.collect(TreeSet::new, Set::add, Set::addAll);
		}
	}

}
