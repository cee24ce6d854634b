package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.ConfigurationProperties;

import dev.sharding.internal.sharder.app.management.ManagementProperties;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of the page on configuration names what the program understands, and nothing
 * else.
 */
class PropertiesTableTests {

	private static final Pattern NAME = Pattern.compile("`([a-z.-]+)`");

	@Test
	void namesEveryPropertyOfTheProgram() throws IOException {
		Set<String> known = new TreeSet<>();
		for (Class<?> type : List.of(SharderProperties.class, ElectionProperties.class, WebhookProperties.class,
				ManagementProperties.class)) {
			add(known, type.getAnnotation(ConfigurationProperties.class).value(), type);
		}
		assertThat(documented()).isEqualTo(known);
	}

	private static void add(Set<String> names, String prefix, Class<?> type) {
		for (RecordComponent component : type.getRecordComponents()) {
			String name = prefix + "." + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
			if (component.getType().isRecord()) {
				add(names, name, component.getType());
			}
			else {
				names.add(name);
			}
		}
	}

	/* A row names one in full and, after it, others that differ in their last part. */
	private static Set<String> documented() throws IOException {
		Set<String> names = new TreeSet<>();
		List<String> lines = Files.readAllLines(Path.of("..", "docs", "configuration.md"));
		for (String line : lines.subList(lines.indexOf("### The sharder as a program"), lines.size())) {
			if (line.startsWith("| `sharding.sharder.")) {
				List<String> row = NAME.matcher(line.split("\\|")[1])
					.results()
					.map((MatchResult found) -> found.group(1))
					.toList();
				String parent = row.get(0).substring(0, row.get(0).lastIndexOf('.') + 1);
				row.forEach((name) -> names.add(name.startsWith("sharding.") ? name : parent + name));
			}
		}
		return names;
	}

}
