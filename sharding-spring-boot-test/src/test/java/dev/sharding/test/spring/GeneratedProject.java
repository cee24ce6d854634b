package dev.sharding.test.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What the archetype generates under the name greetings, by its templates, without Maven.
 *
 * @param kind the kind of the custom resource
 * @param plural its plural
 * @param apiGroup the group of its API
 */
record GeneratedProject(String kind, String plural, String apiGroup) {

	private static final Path TEMPLATES = Path.of("../sharding-archetype/src/main/resources/archetype-resources");

	/** The contents of the files, by name. */
	Map<String, String> files() throws IOException {
		Map<String, String> files = new TreeMap<>();
		try (Stream<Path> templates = Files.walk(TEMPLATES)) {
			for (Path template : templates.filter(Files::isRegularFile).toList()) {
				String name = TEMPLATES.relativize(template)
					.toString()
					.replace("__kind__", this.kind)
					.replaceFirst("^(src/\\w+/java)/", "$1/com/example/");
				files.put(name, filled(Files.readString(template)));
			}
		}
		return files;
	}

	private String filled(String template) {
		return template.replace("${package}", "com.example")
			.replace("${artifactId}", "greetings")
			.replace("${version}", "1.0.0")
			.replace("${kind}", this.kind)
			.replace("${plural}", this.plural)
			.replace("${apiGroup}", this.apiGroup);
	}

}
