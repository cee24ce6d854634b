package dev.sharding.judge;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;

/**
 * Reads the audit log of an API server: one JSON object of {@code audit.k8s.io/v1} a
 * line. A last line without its end is one that is still being written and is left for
 * the next time: each line is read once.
 */
final class AuditLog {

	/** Annotation by which a derived object says from which version it was made. */
	private static final String STAMP = "checksums.example/secret-version";

	private static final String TOUCHED = "sharding.dev/touched";

	/** The API server gives up on a request by then (--request-timeout). */
	private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(60);

	private static final Pattern ONE_OBJECT = Pattern.compile("[?&]limit=1(&|$)");

	private static final Pattern SELECTOR = Pattern.compile("[?&]labelSelector=([^&]*)");

	/*
	 * The audit log cannot show a patch that is empty, and tells its error log what it
	 * left out.
	 */
	private static final Pattern NOT_WRITTEN = Pattern.compile("AUDIT: id=\"([^\"]+)\" stage=\"ResponseComplete\"");

	/** What every line begins with. */
	private static final String BEGIN = "{\"kind\":\"Event\"";

	private static final ObjectMapper JSON = new ObjectMapper();

	private final Path file;

	private final Path serverLog;

	/** How much of the file was read, up to the end of a line. */
	private long read;

	/** What was answered. */
	private final List<AuditEvent> answered = new ArrayList<>();

	/** What was not, by id. */
	private final Map<String, AuditEvent> open = new LinkedHashMap<>();

	/**
	 * @param serverLog the log of the API server itself
	 */
	AuditLog(Path file, Path serverLog) {
		this.file = file;
		this.serverLog = serverLog;
	}

	Path file() {
		return this.file;
	}

	/**
	 * All requests so far. The line that tells that one came and the line that tells that
	 * it was answered bear the same id; a request with the first line only has an outcome
	 * that nobody knows, but where the API server says in its own log that the answer
	 * could not be written as there was no body.
	 */
	List<AuditEvent> read() throws IOException {
		readOn();
		List<AuditEvent> events = new ArrayList<>(this.answered);
		if (!this.open.isEmpty()) {
			Set<String> empty = empty();
			this.open.forEach((id, event) -> events.add(empty.contains(id) ? event.bodyKeptBack() : event));
		}
		return Processes.named(Restores.withoutUndone(events));
	}

	private void readOn() throws IOException {
		long size = Files.size(this.file);
		try (InputStream rest = Files.newInputStream(this.file)) {
			rest.skipNBytes(this.read);
			// A character for each byte, so that we know how many bytes a line has.
			BufferedReader lines = new BufferedReader(new InputStreamReader(rest, StandardCharsets.ISO_8859_1));
			String line = lines.readLine();
			while (line != null && this.read + line.length() < size) {
				this.read += line.length() + 1;
				if (!line.isBlank()) {
					read(json(line));
				}
				line = lines.readLine();
			}
		}
	}

	/**
	 * An API server that was killed leaves half a line, and the next one goes on in it:
	 * the half tells nothing, so that its request has no answer.
	 */
	private static JsonNode json(String line) throws IOException {
		try {
			return JSON.readTree(line.getBytes(StandardCharsets.ISO_8859_1));
		}
		catch (JsonProcessingException ex) {
			int whole = line.lastIndexOf(BEGIN);
			if (whole <= 0) {
				throw ex;
			}
			return JSON.readTree(line.substring(whole).getBytes(StandardCharsets.ISO_8859_1));
		}
	}

	private Set<String> empty() throws IOException {
		Set<String> empty = new HashSet<>();
		try (BufferedReader lines = Files.newBufferedReader(this.serverLog)) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				Matcher matcher = NOT_WRITTEN.matcher(line);
				if (matcher.find()) {
					empty.add(matcher.group(1));
				}
			}
		}
		return empty;
	}

	private void read(JsonNode line) {
		String id = line.path("auditID").asText();
		JsonNode ref = line.path("objectRef");
		if (ref.isMissingNode()) {
			return;
		}
		if (line.path("stage").asText().equals("ResponseComplete")) {
			this.open.remove(id);
			this.answered.add(event(line, ref));
		}
		else if (line.path("stage").asText().equals("RequestReceived")) {
			this.open.put(id, event(line, ref));
		}
	}

	private static String selector(String uri) {
		Matcher matcher = SELECTOR.matcher(uri);
		if (matcher.find()) {
			return URLDecoder.decode(matcher.group(1), StandardCharsets.UTF_8);
		}
		return ONE_OBJECT.matcher(uri).find() ? AuditEvent.ONE : "";
	}

	private static AuditEvent event(JsonNode line, JsonNode ref) {
		String uri = line.path("requestURI").asText();
		int code = line.path("responseStatus").path("code").asInt();
		Body request = body(line.path("requestObject"));
		Body response = (code < 300) ? body(line.path("responseObject")) : null;
		String name = ref.path("name").asText();
		if (name.isEmpty() && response != null) {
			name = response.name();
		}
		ObjectRef object = new ObjectRef(ref.path("apiGroup").asText(), ref.path("resource").asText(),
				ref.path("namespace").asText(), name);
		Instant received = Instant.parse(line.path("requestReceivedTimestamp").asText());
		Instant completed = line.path("stage").asText().equals("ResponseComplete")
				? Instant.parse(line.path("stageTimestamp").asText()) : received.plus(ANSWERED_WITHIN);
		return new AuditEvent(received, completed, line.path("user").path("username").asText(),
				line.path("verb").asText(), object, code, uri.contains("dryRun="), request, response, selector(uri),
				null);
	}

	private static @Nullable Body body(JsonNode object) {
		if (!object.isObject() || object.path("kind").asText().equals("Status")) {
			return null;
		}
		JsonNode metadata = object.path("metadata");
		Map<String, String> data = texts(object.path("data"));
		return new Body(metadata.path("name").asText(), metadata.path("uid").asText(""),
				metadata.path("resourceVersion").asText(), texts(metadata.path("labels")),
				users(texts(metadata.path("annotations"))), finalizers(metadata.path("finalizers")),
				controller(metadata.path("ownerReferences")), metadata.path("annotations").path(STAMP).asText(""),
				lease(metadata, object.path("spec")), metadata.has("deletionTimestamp"),
				metadata.has("deletionTimestamp") && metadata.path("finalizers").isEmpty(),
				object.path("kind").asText().equals("Secret") ? Checksums.of(data) : data,
				object.path("kind").asText().equals("PartialObjectMetadata"), isTouch(object));
	}

	private static Map<String, String> users(Map<String, String> annotations) {
		Map<String, String> users = new HashMap<>(annotations);
		users.keySet().removeIf((name) -> name.equals(STAMP) || RingUnderTest.isOurs(name));
		return users;
	}

	private static Set<String> finalizers(JsonNode list) {
		Set<String> finalizers = new HashSet<>();
		list.forEach((finalizer) -> finalizers.add(finalizer.asText()));
		return finalizers;
	}

	/** Only the version that it is for, and one annotation. */
	private static boolean isTouch(JsonNode patch) {
		JsonNode metadata = patch.path("metadata");
		return patch.size() == 1 && metadata.size() == 2 && metadata.has("resourceVersion")
				&& metadata.path("annotations").size() == 1 && metadata.path("annotations").has(TOUCHED);
	}

	private static LeaseRecord lease(JsonNode metadata, JsonNode spec) {
		if (spec.isEmpty()) {
			return LeaseRecord.NONE;
		}
		return new LeaseRecord(spec.path("holderIdentity").asText(""), spec.path("leaseDurationSeconds").asInt(),
				instant(spec.path("acquireTime").asText("")), instant(spec.path("renewTime").asText("")),
				GiveBack.of(metadata, spec));
	}

	static @Nullable Instant instant(String text) {
		return text.isEmpty() ? null : Instant.parse(text);
	}

	/** A value that a patch takes off is an empty text. */
	static Map<String, String> texts(JsonNode object) {
		if (object.isEmpty()) {
			return Map.of();
		}
		Map<String, String> texts = new HashMap<>();
		object.properties().forEach((entry) -> texts.put(entry.getKey(), entry.getValue().asText("")));
		return texts;
	}

	private static @Nullable ControllerReference controller(JsonNode references) {
		for (JsonNode reference : references) {
			if (reference.path("controller").asBoolean()) {
				String apiVersion = reference.path("apiVersion").asText();
				int slash = apiVersion.indexOf('/');
				return new ControllerReference((slash < 0) ? "" : apiVersion.substring(0, slash),
						reference.path("kind").asText(), reference.path("name").asText(),
						reference.path("uid").asText(""));
			}
		}
		return null;
	}

}
