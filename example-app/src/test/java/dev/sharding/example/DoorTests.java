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

	/* What a page shows as code: a block or a span. */
	private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`\\n]+`");

	/* A line of a signature that is a method's; the group is its name. */
	private static final Pattern METHOD = Pattern.compile("[\\w.]+: (?!new |record|enum).* (\\w+)\\(.*\\)");

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
	void hasALineInADocumentForEachMethod() throws IOException {
		StringBuilder code = new StringBuilder();
		for (Path page : files(ROOT.resolve("docs"))) {
			CODE.matcher(Files.readString(page)).results().forEach((span) -> code.append(span.group()));
		}
		Set<String> told = Pattern.compile("(\\w+)\\(|::(\\w+)")
			.matcher(code)
			.results()
			.map((call) -> (call.group(1) != null) ? call.group(1) : call.group(2))
			.collect(Collectors.toSet());
		List<String> methods = Door.signatures().stream().filter((line) -> METHOD.matcher(line).matches()).toList();
		assertThat(methods).hasSizeGreaterThan(200);
		assertThat(methods)
			.as("Methods that no page in docs names in code: add a line to docs/methods.md, or a better one elsewhere")
			.allMatch((line) -> told.contains(METHOD.matcher(line).replaceFirst("$1")));
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
