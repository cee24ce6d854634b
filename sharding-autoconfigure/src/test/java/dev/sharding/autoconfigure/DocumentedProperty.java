package dev.sharding.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * A property as the metadata for IDEs describe it. What the members of maps and lists
 * have is in files of their own.
 *
 * @param name its name; keys of maps are {@code <name>}, members of lists {@code [0]}
 * @param type its type, with generics
 * @param description what it does
 * @param defaultValue its default, if that is fixed
 */
record DocumentedProperty(String name, String type, @Nullable String description, @Nullable Object defaultValue) {

	/** The key of a map, as the documentation writes it. */
	static final String KEY = "<name>";

	/* Not from the class path, where Spring Boot's own are as well. */
	private static final List<Path> MODULES = List.of(Path.of("target/classes/META-INF"),
			Path.of("../sharding-qos/target/classes/META-INF"));

	private static final Pattern MEMBERS = Pattern
		.compile("java\\.util\\.(Map<java\\.lang\\.String,|List<)(dev\\.sharding\\.[\\w.$]+)>");

	/** All properties of the starter, those of members included. */
	static List<DocumentedProperty> all() {
		List<DocumentedProperty> all = new ArrayList<>();
		for (Path module : MODULES) {
			addTo(all, "", read(module.resolve("spring-configuration-metadata.json")));
		}
		return all;
	}

	/** The classes that properties are bound to, by prefix. */
	static Map<String, String> roots() {
		Map<String, String> roots = new TreeMap<>();
		for (Path module : MODULES) {
			for (Map<String, Object> group : list(read(module.resolve("spring-configuration-metadata.json")),
					"groups")) {
				// Those of inner records are made by a method of the outer one.
				if (group.get("sourceMethod") == null) {
					roots.put(String.valueOf(group.get("name")), String.valueOf(group.get("type")));
				}
			}
		}
		return roots;
	}

	private static void addTo(List<DocumentedProperty> all, String prefix, Map<String, Object> metadata) {
		for (Map<String, Object> property : list(metadata, "properties")) {
			String name = prefix + property.get("name");
			String type = String.valueOf(property.get("type"));
			String description = (String) property.get("description");
			all.add(new DocumentedProperty(name, type, description, property.get("defaultValue")));
			Matcher members = MEMBERS.matcher(type);
			if (members.matches()) {
				String member = name + (members.group(1).startsWith("Map") ? "." + KEY : "[0]") + ".";
				for (Path module : MODULES) {
					Path source = module.resolve("spring/configuration-metadata/" + members.group(2) + ".json");
					if (Files.exists(source)) {
						addTo(all, member, read(source));
					}
				}
			}
		}
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> list(Map<String, Object> metadata, String name) {
		return (List<Map<String, Object>>) metadata.getOrDefault(name, List.of());
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> read(Path file) {
		try (InputStream json = Files.newInputStream(file)) {
			return new KubernetesSerialization().unmarshal(json, Map.class);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
