package dev.sharding.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * docs/properties.md says what the metadata for IDEs say. With
 * {@code -Ddocs.properties.write=true} it is written instead.
 */
class PropertiesPageTests {

	private static final Path PAGE = Path.of("../docs/properties.md");

	private static final String HEAD = """
			# Properties

			Every property of the starter, as IDEs show it (those of the sharder as a program of its own are
			[in configuration.md](configuration.md#the-sharder-as-a-program)); `<name>` stands for a name that you choose. What they do together is told in
			[configuration.md](configuration.md). `sharding.development.*` comes with `sharding-spring-boot-test`, for a cluster on your own machine:
			[getting started](getting-started.md#3-five-minutes-without-a-cluster) has a table. This page is generated; after a change of a
			property, write it anew:

			```
			mvn -pl sharding-autoconfigure -am test -Dtest=PropertiesPageTests -Dsurefire.failIfNoSpecifiedTests=false \\
			    -Ddocs.properties.write=true
			```
			""";

	private final List<DocumentedProperty> properties = DocumentedProperty.all();

	@Test
	void everyPropertyIsDescribed() {
		assertThat(this.properties).isNotEmpty().allSatisfy((property) -> {
			assertThat(property.description()).as(property.name()).isNotNull().endsWith(".");
			assertThat(property.type()).as(property.name()).isNotEqualTo("null");
		});
	}

	/* In an IDE there is no heading above. */
	@Test
	void everyDescriptionStandsForItself() {
		assertThat(this.properties).allSatisfy((property) -> assertThat(property.description()).as(property.name())
			.doesNotContainPattern("^Whether( \\w+){0,5} (it|them)\\b|\\bof such a\\b"));
	}

	@Test
	void everyValueToChooseFromIsDescribed() {
		Map<String, DocumentedProperty> choices = this.properties.stream()
			.filter((property) -> property.type().startsWith("dev.sharding.internal.autoconfigure."))
			.filter((property) -> ClassUtils.resolveClassName(property.type(), null).isEnum())
			.collect(Collectors.toMap(DocumentedProperty::name, (property) -> property));
		assertThat(choices).containsKeys("sharding.readiness", "sharding.lease.on-loss");
		choices.forEach((name, property) -> {
			for (Object value : ClassUtils.resolveClassName(property.type(), null).getEnumConstants()) {
				assertThat(text(property)).as(name).contains("(" + value.toString().toLowerCase(Locale.ROOT) + ")");
			}
		});
	}

	@Test
	void thePeriodOfComparisonsHasItsDefault() {
		assertThat(this.properties).filteredOn((property) -> property.name().equals("sharding.cache.check-period"))
			.singleElement()
			.satisfies((property) -> assertThat(property.defaultValue()).isEqualTo("0s"));
	}

	@Test
	void membersOfMapsAndListsAreProperties() {
		assertThat(this.properties).extracting(DocumentedProperty::name)
			.contains("sharding.rings.<name>.shard-name", "sharding.rings.<name>.definition.apply",
					"sharding.definition.resources[0].controlled-resources[0].resource",
					"sharding.qos.classes.<name>.qps", "sharding.qos.rules.<name>.max-wait");
	}

	@ParameterizedTest
	@CsvSource({ "sharding.qos.storage-period, from 1 ms to a day",
			"sharding.qos.membership-period, from 1 ms to a day",
			"sharding.qos.classes.<name>.window, from 1 ms to a day",
			"sharding.qos.rules.<name>.max-wait, at most a day", "sharding.qos.rules.<name>.priority, From 1 to 100",
			"sharding.qos.classes.<name>.burst, at least 1" })
	void boundsOfLimitsAreToldWhereTheyAreSet(String name, String bound) {
		assertThat(this.properties).filteredOn((property) -> property.name().equals(name))
			.singleElement()
			.satisfies((property) -> assertThat(property.description()).contains(bound));
	}

	@Test
	void thePageIsInStep() throws IOException {
		if (Boolean.getBoolean("docs.properties.write")) {
			Files.writeString(PAGE, page());
		}
		assertThat(Files.readString(PAGE)).isEqualTo(page());
	}

	private String page() {
		Map<String, List<DocumentedProperty>> groups = new TreeMap<>();
		this.properties.forEach(
				(property) -> groups
					.computeIfAbsent(property.name().substring(0, property.name().lastIndexOf('.')),
							(group) -> new ArrayList<>())
					.add(property));
		StringBuilder page = new StringBuilder(HEAD);
		groups.forEach((group, members) -> {
			page.append("\n## ").append(group.replace("<", "\\<")).append("\n\n");
			page.append("| property | type | default | meaning |\n| --- | --- | --- | --- |\n");
			members.stream().sorted(Comparator.comparing(DocumentedProperty::name)).forEach((property) -> {
				page.append("| `").append(property.name()).append("` | ").append(type(property)).append(" | ");
				page.append(value(property)).append(" | ").append(text(property)).append(" |\n");
			});
		});
		return page.toString();
	}

	private static String text(DocumentedProperty property) {
		return String.valueOf(property.description()).replaceAll("\\s+", " ").replace("|", "\\|");
	}

	private static String value(DocumentedProperty property) {
		Object value = property.defaultValue();
		if (value instanceof List<?> list) {
			return list.isEmpty() ? "" : list.stream().map(String::valueOf).collect(Collectors.joining(", ", "`", "`"));
		}
		return (value == null || value.toString().isEmpty()) ? "" : "`" + value + "`";
	}

	private static String type(DocumentedProperty property) {
		String type = property.type();
		if (!type.contains("<") && ClassUtils.isPresent(type, null)) {
			Class<?> resolved = ClassUtils.resolveClassName(type, null);
			if (resolved.isEnum()) {
				return Arrays.stream(resolved.getEnumConstants())
					.map((constant) -> "`" + constant.toString().toLowerCase(Locale.ROOT).replace('_', '-') + "`")
					.collect(Collectors.joining(", "));
			}
		}
		String simple = type.replaceAll("[a-z\\d]+\\.", "").replaceAll("[A-Za-z]+\\$", "").replace(",", ", ");
		return simple.contains("<") ? "`" + simple + "`" : simple;
	}

}
