package dev.sharding.internal.sharder.ring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sharding.internal.sharder.ring.RingReport.Orders;
import dev.sharding.internal.sharder.ring.RingReport.Progress;
import dev.sharding.internal.sharder.ring.RingReport.Slots;
import dev.sharding.internal.sharder.ring.WebhookReports.Configured;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The page names each field of the definition, each condition, and no others. */
class RingPageTests {

	/* What all of Kubernetes has: the page says it in the line of what holds it. */
	private static final Set<String> WELL_KNOWN = Set.of("status.conditions[]",
			"spec.namespaceSelector.matchExpressions[]");

	@Test
	void namesEachField() throws IOException {
		CustomResourceDefinition definition = new KubernetesSerialization()
			.unmarshal(Files.readString(Path.of("../config/crd/controllerrings.yaml")), CustomResourceDefinition.class);
		Set<String> fields = new TreeSet<>(Set.of("metadata.name"));
		JSONSchemaProps schema = definition.getSpec().getVersions().get(0).getSchema().getOpenAPIV3Schema();
		for (String part : List.of("spec", "status")) {
			collect(part, schema.getProperties().get(part), fields);
		}
		assertThat(firstCells("(?:metadata|spec|status)\\.[^`]+")).isEqualTo(fields);
	}

	@Test
	void namesEachCondition() throws IOException {
		RingReport report = new RingReport(Orders.NONE, Slots.NONE, 0, 0, new TreeMap<>(), new TreeMap<>(),
				new TreeSet<>(), new TreeMap<>(), new TreeMap<>(), new Configured(null), null, Progress.NONE);
		ControllerRingStatus status = RingStatusLaw.next(1, new ControllerRingSpec(List.of(), null), null, report,
				Instant.EPOCH);
		assertThat(status).isNotNull();
		assertThat(firstCells("[A-Z]\\w+"))
			.isEqualTo(new TreeSet<>(status.conditions().stream().map(Condition::getType).toList()));
	}

	private static void collect(String path, JSONSchemaProps schema, Set<String> fields) {
		Map<String, JSONSchemaProps> properties = (schema.getProperties() != null) ? schema.getProperties() : Map.of();
		properties.forEach((name, property) -> {
			boolean many = "array".equals(property.getType());
			String field = path + "." + name + (many ? "[]" : "");
			fields.add(field);
			if (!WELL_KNOWN.contains(field)) {
				collect(field, many ? property.getItems().getSchema() : property, fields);
			}
		});
	}

	private static Set<String> firstCells(String cell) throws IOException {
		Matcher cells = Pattern.compile("(?m)^\\| `(" + cell + ")` \\|")
			.matcher(Files.readString(Path.of("../docs/controllerring.md")));
		Set<String> found = new TreeSet<>();
		while (cells.find()) {
			found.add(cells.group(1));
		}
		return found;
	}

}
