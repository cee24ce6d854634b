package dev.sharding.judge;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;

/**
 * Reads the audit log of an API server: one JSON object of {@code audit.k8s.io/v1} a
 * line. A last line without its end is one that is still being written and is left out.
 */
final class AuditLog {

	private static final ObjectMapper JSON = new ObjectMapper();

	private AuditLog() {
	}

	/** All finished requests in the order of the log. */
	static List<AuditEvent> read(Path file) throws IOException {
		List<AuditEvent> events = new ArrayList<>();
		try (BufferedReader lines = Files.newBufferedReader(file)) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				boolean unfinished = !line.endsWith("}") && !lines.ready();
				if (!line.isBlank() && !unfinished) {
					event(JSON.readTree(line)).ifPresent(events::add);
				}
			}
		}
		return events;
	}

	private static Optional<AuditEvent> event(JsonNode line) {
		JsonNode ref = line.path("objectRef");
		if (!line.path("stage").asText().equals("ResponseComplete") || ref.isMissingNode()) {
			return Optional.empty();
		}
		int code = line.path("responseStatus").path("code").asInt();
		Body request = body(line.path("requestObject"));
		Body response = (code < 300) ? body(line.path("responseObject")) : null;
		String name = ref.path("name").asText();
		if (name.isEmpty() && response != null) {
			name = response.name();
		}
		ObjectRef object = new ObjectRef(ref.path("apiGroup").asText(), ref.path("resource").asText(),
				ref.path("namespace").asText(), name);
		return Optional.of(new AuditEvent(Instant.parse(line.path("requestReceivedTimestamp").asText()),
				Instant.parse(line.path("stageTimestamp").asText()), line.path("user").path("username").asText(),
				line.path("verb").asText(), object, code, line.path("requestURI").asText().contains("dryRun="), request,
				response));
	}

	private static @Nullable Body body(JsonNode object) {
		if (!object.isObject() || object.path("kind").asText().equals("Status")) {
			return null;
		}
		JsonNode metadata = object.path("metadata");
		JsonNode spec = object.path("spec");
		String name = metadata.path("name").asText();
		return new Body(name, metadata.path("resourceVersion").asText(), texts(metadata.path("labels")),
				controller(metadata.path("ownerReferences")), spec.path("holderIdentity").asText(""),
				spec.path("leaseDurationSeconds").asInt(),
				metadata.has("deletionTimestamp") && metadata.path("finalizers").isEmpty(),
				name.equals(Mark.NAME) ? texts(object.path("data")) : Map.of());
	}

	private static Map<String, String> texts(JsonNode object) {
		if (object.isEmpty()) {
			return Map.of();
		}
		Map<String, String> texts = new HashMap<>();
		object.properties().forEach((entry) -> texts.put(entry.getKey(), entry.getValue().asText()));
		return texts;
	}

	private static @Nullable ControllerReference controller(JsonNode references) {
		for (JsonNode reference : references) {
			if (reference.path("controller").asBoolean()) {
				String apiVersion = reference.path("apiVersion").asText();
				int slash = apiVersion.indexOf('/');
				return new ControllerReference((slash < 0) ? "" : apiVersion.substring(0, slash),
						reference.path("kind").asText(), reference.path("name").asText());
			}
		}
		return null;
	}

}
