package dev.sharding.internal.kubernetes.informer.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sharding.internal.core.key.OwnerRef;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever comes over the wire: what Jackson takes for JSON is read as Jackson reads it,
 * and what it does not is read or refused, but by nothing else than an
 * {@link IllegalArgumentException}. Documents that name a member twice are left out, as
 * no API server writes them.
 */
class JsonFuzzTests {

	private static final ObjectMapper JACKSON = JsonMapper.builder()
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.build();

	/* Our decoder does not read them. */
	private static final ObjectMapper UNMANAGED = JACKSON.copy().addMixIn(ObjectMeta.class, WithoutManagedFields.class);

	/* What follows an object on a line, such as another member, is none of its own. */
	private static final ObjectMapper FIRST = new ObjectMapper();

	private static final List<String> LABELS = List.of("shard", "drain");

	private static final ObjectDecoder<GenericKubernetesResource> DECODER = new ObjectDecoder<>(
			new KubernetesSerialization(), ResourceType.of(Secret.class).generic(), false);

	@Property(tries = 3_000, shrinking = ShrinkingMode.OFF)
	void readsObjectsAsJacksonDoes(@ForAll long seed) {
		Random random = new Random(seed);
		byte[] body = Mutations.mutate(bytes(object(random)), random);
		JsonNode tree = parse(body);
		ObjectFacts facts = read(tree, () -> ObjectFacts.read(JsonSlice.of(body)));
		MetadataSummary summary = read(tree, () -> SummaryReader.read(JsonSlice.of(body), LABELS));
		if (tree != null) {
			JsonNode metadata = tree.path("metadata");
			assertThat(facts)
				.isEqualTo(new ObjectFacts(new ObjectKey(text(metadata.get("namespace")), text(metadata.get("name"))),
						text(metadata.get("uid")), text(metadata.get("resourceVersion"))));
			assertThat(summary).isEqualTo(new MetadataSummary(text(metadata.get("namespace")),
					text(metadata.get("name")), text(metadata.get("resourceVersion")),
					time(text(metadata.get("creationTimestamp"))), labels(metadata.path("labels")), owners(metadata)));
		}
	}

	@Property(tries = 3_000, shrinking = ShrinkingMode.OFF)
	void cutsPagesAsJacksonDoes(@ForAll long seed) throws IOException {
		Random random = new Random(seed);
		byte[] body = Mutations.mutate(bytes(page(random)), random);
		JsonNode tree = parse(body);
		List<JsonNode> items = new ArrayList<>();
		ListPage page = read(tree, () -> {
			ListPage cut = ListPage.of(body);
			cut.forEach((item) -> items.add(parse(item)));
			return cut;
		});
		if (tree != null) {
			assertThat(page.version()).isEqualTo(text(tree.path("metadata").get("resourceVersion")));
			assertThat(page.continueToken()).isEqualTo(text(tree.path("metadata").get("continue")));
			List<JsonNode> expected = new ArrayList<>();
			if (tree.path("items").isArray()) {
				tree.path("items").forEach(expected::add);
			}
			assertThat(items).isEqualTo(expected);
		}
	}

	@Property(tries = 3_000, shrinking = ShrinkingMode.OFF)
	void cutsLinesAsJacksonDoes(@ForAll long seed) throws IOException {
		Random random = new Random(seed);
		byte[] line = Mutations.mutate(bytes(line(random)), random);
		JsonNode tree = parse(line);
		WatchFrame.Type type = (tree != null) ? type(text(tree.get("type"))) : null;
		boolean isEvent = type != null && tree.path("object").isObject();
		WatchFrame frame = read(isEvent ? tree : null, () -> WatchFrame.of(line));
		if (frame != null) {
			Boolean ends = read(isEvent ? tree : null, frame::endsInitialEvents);
			if (isEvent) {
				assertThat(frame.type()).isEqualTo(type);
				assertThat(FIRST.readTree(frame.object().stream())).isEqualTo(tree.get("object"));
				assertThat(ends).isEqualTo("true".equals(text(
						tree.path("object").path("metadata").path("annotations").get("k8s.io/initial-events-end"))));
			}
		}
	}

	@Property(tries = 1_000, shrinking = ShrinkingMode.OFF)
	void decodesAsJacksonDoes(@ForAll long seed) throws IOException {
		Random random = new Random(seed);
		byte[] body = Mutations.mutate(bytes(object(random)), random);
		JsonNode tree = parse(body);
		GenericKubernetesResource object = null;
		try {
			object = DECODER.decode(body.clone());
		}
		catch (UndecodableException unfit) {
			assertThat(unfit.metadata()).isNotNull();
		}
		catch (IllegalArgumentException noJson) {
			assertThat(tree).isNull();
		}
		if (tree != null && object != null) {
			// From the bytes: a number where a text belongs is as it was written.
			ObjectMeta expected = UNMANAGED.readValue(body, GenericKubernetesResource.class).getMetadata();
			ObjectMeta actual = object.getMetadata();
			actual.setManagedFields(expected.getManagedFields());
			assertThat(actual).isEqualTo(expected);
		}
	}

	/** What is read; null only for what Jackson refuses as well. */
	private static <T> @Nullable T read(@Nullable JsonNode tree, Supplier<T> reader) {
		try {
			return reader.get();
		}
		catch (IllegalArgumentException ex) {
			if (tree != null) {
				throw ex;
			}
			return null;
		}
	}

	private static @Nullable JsonNode parse(byte[] body) {
		try {
			JsonNode tree = JACKSON.readTree(body);
			return (tree != null && tree.isObject()) ? tree : null;
		}
		catch (IOException refused) {
			return null;
		}
	}

	private static JsonNode parse(JsonSlice item) {
		try {
			return JACKSON.readTree(item.stream());
		}
		catch (JsonProcessingException ex) {
			throw new IllegalArgumentException(ex);
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
	}

	private static String text(@Nullable JsonNode node) {
		return (node != null && node.isTextual()) ? node.textValue() : "";
	}

	private static @Nullable String orNull(@Nullable JsonNode node) {
		return (node != null) ? text(node) : null;
	}

	private static @Nullable Instant time(String text) {
		try {
			return Instant.parse(text);
		}
		catch (DateTimeException none) {
			return null;
		}
	}

	private static WatchFrame.@Nullable Type type(String name) {
		for (WatchFrame.Type type : WatchFrame.Type.values()) {
			if (type.name().equals(name)) {
				return type;
			}
		}
		return null;
	}

	private static Map<String, String> labels(JsonNode labels) {
		Map<String, String> wanted = new HashMap<>();
		for (String label : LABELS) {
			if (labels.has(label)) {
				wanted.put(label, text(labels.get(label)));
			}
		}
		return wanted;
	}

	private static List<OwnerRef> owners(JsonNode metadata) {
		List<OwnerRef> owners = new ArrayList<>();
		metadata.path("ownerReferences").forEach((owner) -> {
			if (owner.isContainerNode()) {
				owners.add(new OwnerRef(orNull(owner.get("apiVersion")), orNull(owner.get("kind")),
						orNull(owner.get("name")), orNull(owner.get("uid")),
						owner.path("controller").isBoolean() && owner.get("controller").booleanValue()));
			}
		});
		return owners;
	}

	private static String line(Random random) {
		String type = "\"type\":\"" + WatchFrame.Type.values()[random.nextInt(5)] + "\"";
		String object = "\"object\":" + object(random);
		return switch (random.nextInt(4)) {
			case 0 -> "{" + object + blank(random) + "," + type + "}";
			case 1 -> "{" + type + "," + object + ",\"more\":" + Mutations.anyValue(random) + "}";
			default -> "{" + type + "," + object + "}";
		};
	}

	private static String page(Random random) {
		StringBuilder items = new StringBuilder("[");
		for (int i = random.nextInt(4); i > 0; i--) {
			items.append(object(random)).append(blank(random)).append((i > 1) ? "," : "");
		}
		items.append("]");
		return members(random, "metadata",
				members(random, "resourceVersion", "\"7\"", "continue", "\"a\\u003d\\n\"", "remainingItemCount", "3"),
				"items", items.toString(), "kind", "\"List\"");
	}

	private static String object(Random random) {
		String owner = members(random, "kind", "\"Web\\u003c\"", "name", "\"o\"", "uid", "\"u\"", "apiVersion",
				"\"a/v1\"", "controller", "true");
		String metadata = members(random, "name", "\"ä\\\\\\\"}🚀\"", "namespace", "\"n\"", "uid", "\"u-1\"",
				"resourceVersion", "\"42\"", "creationTimestamp", "\"2026-01-02T03:04:05Z\"", "labels",
				members(random, "shard", "\"a\"", "x", "\"]\"", "drain", "\"\""), "ownerReferences",
				"[" + owner + "," + owner + "]", "annotations",
				members(random, "k8s.io/initial-events-end", "\"true\"", "b", "\"{[\\\"\""), "managedFields",
				"[{\"manager\":\"]\",\"fieldsV1\":{\"f:a\":{}}}]");
		return members(random, "apiVersion", "\"v1\"", "kind", "\"Secret\"", "metadata", metadata, "spec",
				Mutations.anyValue(random));
	}

	/* In any order, some left out, and some with another value. */
	private static String members(Random random, String... namesAndValues) {
		List<String> members = new ArrayList<>();
		for (int i = 0; i < namesAndValues.length; i += 2) {
			if (random.nextInt(12) > 0) {
				String value = (random.nextInt(25) == 0) ? Mutations.anyValue(random) : namesAndValues[i + 1];
				members.add(random.nextInt(members.size() + 1),
						blank(random) + "\"" + namesAndValues[i] + "\"" + blank(random) + ":" + blank(random) + value);
			}
		}
		return "{" + String.join(",", members) + blank(random) + "}";
	}

	private static String blank(Random random) {
		return (random.nextInt(10) == 0) ? " \t\r\n".substring(random.nextInt(4)) : "";
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@JsonIgnoreProperties("managedFields")
	private interface WithoutManagedFields {

	}

}
