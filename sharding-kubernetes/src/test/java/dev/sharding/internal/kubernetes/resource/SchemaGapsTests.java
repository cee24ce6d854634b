package dev.sharding.internal.kubernetes.resource;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import org.junit.jupiter.api.Test;

import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class SchemaGapsTests {

	private static final ResourceType<Box> BOXES = ResourceType.of(Box.class);

	private static final Map<String, Object> ANY = Map.of("type", "string");

	private static final Map<String, Object> SPEC = object(Map.of("size", ANY, "lid", object(Map.of("open", ANY)),
			"parts", Map.of("type", "array", "items", object(Map.of("name", ANY)))));

	private static final Map<String, Object> STATUS = object(Map.of("conditions", Map.of("type", "array")));

	@Test
	void aDefinitionOfTheSameAgeHasNoGaps() {
		assertThat(SchemaGaps.of(BOXES, openApi(SPEC, STATUS))).isEmpty();
	}

	@Test
	void whatAnOlderOneLacksIsFoundWhereverItIs() {
		Map<String, Object> spec = object(Map.of("lid", object(Map.of("hinge", ANY)), "parts",
				Map.of("type", "array", "items", object(Map.of("weight", ANY)))));
		assertThat(SchemaGaps.of(BOXES, openApi(spec, object(Map.of("phase", ANY))))).containsExactly("spec.lid.open",
				"spec.parts[].name", "spec.size", "status.conditions");
	}

	@Test
	void whatKeepsUnknownFieldsHasNoGaps() {
		Map<String, Object> keeps = Map.of("type", "object", "x-kubernetes-preserve-unknown-fields", true, "properties",
				Map.of("other", ANY));
		assertThat(SchemaGaps.of(BOXES, openApi(keeps, keeps))).isEmpty();
	}

	@Test
	void whatIsNotPublishedSaysNothing() {
		assertThat(SchemaGaps.of(BOXES, Map.of())).isEmpty();
		assertThat(SchemaGaps.of(ResourceType.of(ConfigMap.class), openApi(SPEC, STATUS))).isEmpty();
	}

	private static Map<String, Object> openApi(Map<String, Object> spec, Map<String, Object> status) {
		return Map.of("components",
				Map.of("schemas",
						Map.of("com.example.v1.Box",
								Map.of("x-kubernetes-group-version-kind",
										List.of(Map.of("group", "example.com", "version", "v1", "kind", "Box")),
										"properties", Map.of("spec", spec, "status", status)))));
	}

	private static Map<String, Object> object(Map<String, Object> properties) {
		return Map.of("type", "object", "properties", properties);
	}

	@Group("example.com")
	@Version("v1")
	static class Box extends CustomResource<Spec, Status> implements Namespaced {

	}

	record Spec(int size, Lid lid, List<Part> parts) {

		public String getDescription() {
			return "computed";
		}

	}

	static class Lid {

		@JsonProperty("open")
		public boolean ajar;

		@JsonIgnore
		public String note = "";

	}

	record Part(String name) {
	}

	static class Status {

		public List<Condition> conditions = List.of();

	}

}
