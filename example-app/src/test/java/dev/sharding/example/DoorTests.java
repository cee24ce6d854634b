package dev.sharding.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What users import comes from a few packages, and changes when somebody says so.
 */
class DoorTests {

	private static final Path ROOT = Path.of("..");

	private static final Path SIGNATURES = ROOT.resolve("docs/door.txt");

	private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?(dev\\.sharding[a-z.]*)\\.[A-Z]");

	@Test
	void hasTheSignaturesThatAreWrittenDown() throws IOException {
		if (Boolean.getBoolean("door.write")) {
			Files.write(SIGNATURES, Door.signatures());
		}
		assertThat(Door.signatures())
			.as("What users import has changed. If it is meant to, accept it with mvn -pl example-app -am"
					+ " test -Dtest=DoorTests -Dsurefire.failIfNoSpecifiedTests=false -Ddoor.write=true, and say so in"
					+ " CHANGELOG.md")
			.containsExactlyElementsOf(Files.readAllLines(SIGNATURES));
	}

	@Test
	void isOneLineForEachTypeInThePage() throws IOException {
		Set<String> types = Door.types()
			.stream()
			.filter((type) -> type.getEnclosingClass() == null)
			.map(Class::getSimpleName)
			.collect(Collectors.toCollection(TreeSet::new));
		List<String> named = Pattern.compile("(?m)^\\| `(\\w+)` \\| \\S.* \\|$")
			.matcher(Files.readString(ROOT.resolve("docs/api.md")))
			.results()
			.map((row) -> row.group(1))
			.toList();
		assertThat(named).containsExactlyInAnyOrderElementsOf(types);
	}

	@Test
	void isAllThatSamplesTemplatesAndPagesImport() throws IOException {
		Set<String> allowed = new TreeSet<>(Door.PACKAGES);
		allowed.addAll(Door.ADD_ONS);
		allowed.add("dev.sharding.example");
		int imports = 0;
		for (String place : List.of("samples", "example-app/src", "sharding-archetype/src", "docs", "README.md")) {
			for (Path file : files(ROOT.resolve(place))) {
				Matcher found = IMPORT.matcher(Files.readString(file));
				while (found.find()) {
					assertThat(found.group(1)).as("%s: %s", file, found.group()).isIn(allowed);
					imports++;
				}
			}
		}
		assertThat(imports).isGreaterThan(50);
	}

	private static List<Path> files(Path place) throws IOException {
		try (Stream<Path> files = Files.walk(place)) {
			return files.filter((file) -> file.toString().matches(".*\\.(java|kt|md)"))
				.filter((file) -> !file.toString().contains("target") && !file.endsWith("Door.java"))
				.toList();
		}
	}

}
