package dev.sharding.internal.sharder.webhook;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sharding.internal.core.assignment.AdmissionDecision;
import dev.sharding.internal.core.key.OwnerRef;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.GroupResource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AdmissionReviewsTests {

	private static final String SECRET_DATA = "czNjcjN0";

	private static final String[] TOKENS = { "{", "}", "[", "]", ":", ",", "\"", "null", "true", "-1", "1e999",
			"\"uid\"", "\"request\"", "\"object\"", "\"metadata\"", "\"labels\"", "\\u0000", "\\", "&a", "*a", "!!",
			"\n", " ", "\uD800", "\"ownerReferences\"", "\"controller\"", "/*", "//", "NaN" };

	/* A member that is there twice has no meaning; the API server writes none. */
	private static final ObjectMapper JACKSON = JsonMapper.builder()
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.build();

	private final AdmissionReviews reviews = new AdmissionReviews(Reviews.SERIALIZATION);

	private final AdmissionHandler handler = new AdmissionHandler(this.reviews, (ring) -> Reviews.VIEW, false,
			new WebhookMetrics(new SimpleMeterRegistry()));

	@Test
	void readsWhatMatters() throws MalformedReviewException {
		AdmissionRequest request = this.reviews.read(Reviews.bytes(Reviews.secret("foo", "{\"a\":\"b\"}", true)));
		assertThat(request.resource()).isEqualTo(new GroupResource("", "secrets"));
		assertThat(request.object().kind()).isEqualTo("Secret");
		assertThat(request.object().namespace()).isEqualTo("default");
		assertThat(request.object().name()).isEqualTo("foo");
		assertThat(request.labels()).isEqualTo(Map.of("a", "b"));
		assertThat(request.dryRun()).isTrue();
		assertThat(request.toString()).doesNotContain(SECRET_DATA);
	}

	/* As objects, all of them would take many times their text. */
	@Test
	void keepsNoMoreThanADecisionNeeds() throws MalformedReviewException {
		String shard = ShardingLabels.shard(Reviews.RING);
		String labels = IntStream.range(0, 100_000)
			.mapToObj("\"l%d\":null"::formatted)
			.collect(Collectors.joining(",", "{", ",\"" + shard + "\":\"shard-a\"}"));
		String owners = """
				"ownerReferences":[%snull,{"apiVersion":"v1","kind":"Pod","name":"p","controller":true},
				{"controller":true}]""".formatted("{},".repeat(100_000));
		AdmissionRequest request = this.reviews
			.read(Reviews.bytes(Reviews.secret("foo", labels + "," + owners, false)));
		assertThat(request.labels()).hasSize(2).containsEntry("l0", null).containsEntry(shard, "shard-a");
		assertThat(request.object().ownerReferences()).containsExactly(new OwnerRef("v1", "Pod", "p", null, true));
	}

	@ParameterizedTest
	@ValueSource(strings = { "[]", "\"a\"", "1", "{\"a\":{}}", "{\"a\":[]}", "{}, \"ownerReferences\":{}",
			"{}, \"ownerReferences\":\"a\"", "{}, \"ownerReferences\":[1]", "{}, \"ownerReferences\":[[]]" })
	void refusesLabelsAndOwnersOfTheWrongType(String labels) {
		assertThatExceptionOfType(MalformedReviewException.class)
			.isThrownBy(() -> this.reviews.read(Reviews.bytes(Reviews.secret("foo", labels, false))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "{}", "null", "{}, \"ownerReferences\":null", "{}, \"ownerReferences\":[]" })
	void takesWhatIsEmptyForNone(String labels) throws MalformedReviewException {
		AdmissionRequest request = this.reviews.read(Reviews.bytes(Reviews.secret("foo", labels, false)));
		assertThat(request.labels()).isNullOrEmpty();
		assertThat(request.object().ownerReferences()).isEmpty();
	}

	/* The API server says of a request about a Namespace that it is in it. */
	@Test
	void aNamespaceIsInNone() throws MalformedReviewException {
		AdmissionRequest request = this.reviews.read(Reviews.bytes("""
				{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"1",
				"resource":{"group":"","version":"v1","resource":"namespaces"},
				"name":"foo","namespace":"foo","operation":"CREATE",
				"object":{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"foo"}}}}"""));
		assertThat(request.object().namespace()).isNullOrEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "null", "[]", "{}", "true", "kind: AdmissionReview",
			"{\"kind\":\"AdmissionReview\"}",
			"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1beta1\",\"request\":{\"uid\":\"1\"}}",
			"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}",
			"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":\"\"}}",
			"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":\"1\"}}",
			"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":\"1\","
					+ "\"resource\":{\"resource\":\"secrets\"}}}" })
	void refusesAnythingElse(String body) {
		assertThatExceptionOfType(MalformedReviewException.class)
			.isThrownBy(() -> this.reviews.read(Reviews.bytes(body)));
	}

	@Test
	void survivesDeepNesting() {
		assertThatExceptionOfType(MalformedReviewException.class)
			.isThrownBy(() -> this.reviews.read(Reviews.bytes("{\"a\":".repeat(200_000))));
	}

	@Test
	void quotesNothingOfTheBody() {
		String body = Reviews.secret("foo", "", false)
			.replace("\"dryRun\":false", "\"dryRun\":\"" + SECRET_DATA + "\"");
		assertThatExceptionOfType(MalformedReviewException.class)
			.isThrownBy(() -> this.reviews.read(Reviews.bytes(body)))
			.withMessageNotContaining(SECRET_DATA)
			.withNoCause();
	}

	/*
	 * Whatever comes in, the answer is an AdmissionReview that allows, or a refusal of
	 * the body; nothing else is thrown and nothing is denied.
	 */
	@Property(tries = 100_000, shrinking = ShrinkingMode.OFF)
	void answersOrRefusesWhateverComes(@ForAll("mutations") byte[] body) {
		try {
			AdmissionHandler.Answer answer = this.handler.handle(Reviews.RING, body);
			assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("\"allowed\":true");
		}
		catch (MalformedReviewException expected) {
			assertThat(expected).hasNoCause();
		}
	}

	@Property(tries = 5_000, shrinking = ShrinkingMode.OFF)
	void readsWhatJacksonReads(@ForAll("mutations") byte[] body) throws IOException {
		AdmissionRequest request;
		JsonNode review;
		try {
			request = this.reviews.read(body);
			review = JACKSON.readTree(body);
		}
		catch (MalformedReviewException | JsonProcessingException refused) {
			return;
		}
		JsonNode asked = review.path("request");
		JsonNode metadata = asked.path("object").path("metadata");
		isSaid(asked.path("uid"), request.uid());
		isSaid(asked.path("resource").path("resource"), request.resource().resource());
		isSaid(asked.path("object").path("kind"), request.object().kind());
		isSaid(metadata.path("name"), request.object().name());
		assertThat(request.labels() == null || request.labels().isEmpty()).isEqualTo(metadata.path("labels").isEmpty());
		metadata.path("labels")
			.properties()
			.stream()
			.filter((label) -> ShardingLabels.isSharding(label.getKey())
					|| request.labels().containsKey(label.getKey()))
			.forEach((label) -> isSaid(label.getValue(), request.labels().get(label.getKey())));
		OwnerRef controller = request.object().ownerReferences().stream().findFirst().orElse(null);
		for (JsonNode owner : metadata.path("ownerReferences")) {
			if (owner.path("controller").isBoolean() && owner.path("controller").booleanValue()) {
				assertThat(controller).isNotNull();
				isSaid(owner.path("name"), controller.name());
				break;
			}
		}
		assertThat(request.creating()).isEqualTo(asked.path("operation").asText().equals("CREATE"));
	}

	/* A number or a boolean may be taken for a text. */
	private static void isSaid(JsonNode node, @Nullable String text) {
		if (node.isMissingNode() || node.isNull()) {
			assertThat(text).isNull();
		}
		else if (node.isTextual()) {
			assertThat(text).isEqualTo(node.textValue());
		}
	}

	@Test
	void understandsTheReviewOfTheWarmUp() {
		WarmUp.run(new AdmissionReviews(Reviews.SERIALIZATION));
	}

	@Property(tries = 1_000)
	void repeatsAnyUid(@ForAll("uids") String uid) throws MalformedReviewException {
		AdmissionRequest request = new AdmissionRequest(uid, new GroupResource("", "secrets"),
				this.reviews.read(Reviews.bytes(Reviews.secret("foo", "", false))).object(), null, true, false);
		AdmissionDecision decision = this.handler.decide(Reviews.RING, request);
		assertThat(Reviews.response(this.reviews.write(request, decision))).containsEntry("uid", uid);
	}

	@Provide
	Arbitrary<String> uids() {
		return Arbitraries.strings().withCharRange(' ', '~').ofMinLength(1).ofMaxLength(40);
	}

	@Provide
	Arbitrary<byte[]> mutations() {
		byte[] valid = Reviews.bytes(Reviews.secret("foo", """
				{"a":"b","%s":"shard-a","c":"d"},"ownerReferences":[null,{"apiVersion":"v1","kind":"Pod","name":"p"},
				{"apiVersion":"apps/v1","kind":"Deployment","name":"d","controller":true}]"""
			.formatted(ShardingLabels.shard(Reviews.RING)), false));
		return Arbitraries.longs().map((seed) -> mutate(valid, new Random(seed)));
	}

	private static byte[] mutate(byte[] valid, Random random) {
		byte[] body = valid;
		for (int i = random.nextInt(4); i >= 0; i--) {
			int at = random.nextInt(body.length + 1);
			int to = Math.min(body.length, at + random.nextInt(40));
			byte[] replacement = switch (random.nextInt(4)) {
				case 0 -> new byte[0];
				case 1 -> Reviews.bytes(TOKENS[random.nextInt(TOKENS.length)].repeat(1 + random.nextInt(3)));
				case 2 -> randomBytes(random);
				default -> Arrays.copyOfRange(body, at / 2, at / 2 + Math.min(60, body.length - at / 2));
			};
			body = splice(body, at, to, replacement);
		}
		return (random.nextInt(10) == 0) ? Arrays.copyOf(body, random.nextInt(body.length + 1)) : body;
	}

	private static byte[] randomBytes(Random random) {
		byte[] bytes = new byte[random.nextInt(8)];
		random.nextBytes(bytes);
		return bytes;
	}

	private static byte[] splice(byte[] body, int from, int to, byte[] replacement) {
		byte[] spliced = new byte[from + replacement.length + body.length - to];
		System.arraycopy(body, 0, spliced, 0, from);
		System.arraycopy(replacement, 0, spliced, from, replacement.length);
		System.arraycopy(body, to, spliced, from + replacement.length, body.length - to);
		return spliced;
	}

}
