package dev.sharding.internal.sharder.webhook;

import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.assignment.AdmissionPatch;
import dev.sharding.internal.core.key.ShardingKey;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AdmissionHandlerTests {

	private static final String UID = "705ab4f5-6393-11e8-b7cc-42010a800002";

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	@Test
	@DisplayName("77/86 the ring of the path decides, the answer is counted")
	void assigns() throws MalformedReviewException {
		byte[] answer = handler(true).handle(Reviews.RING, review("", false)).body();
		Map<String, Object> response = Reviews.response(answer);
		assertThat(response).containsEntry("uid", UID)
			.containsEntry("allowed", true)
			.containsEntry("patchType", "JSONPatch")
			.doesNotContainKey("warnings");
		assertThat(((Map<?, ?>) response.get("status")).get("code")).isEqualTo(200);
		String shard = Reviews.VIEW.shards().shardFor(new ShardingKey("", "Secret", "default", "foo"));
		assertThat(Reviews.patch(answer)).isEqualTo(AdmissionPatch.assignFirst(Reviews.RING, shard, false));
		assertThat(assignments()).isEqualTo(1);
	}

	@Test
	@DisplayName("87 labels that are there are kept")
	void keepsLabels() throws MalformedReviewException {
		byte[] answer = handler(true).handle(Reviews.RING, review("{\"a\":\"b\"}", false)).body();
		assertThat(Reviews.patch(answer)).doesNotContain("\"value\":{}");
	}

	@Test
	@DisplayName("88 a dry run is patched but not counted")
	void doesNotCountDryRuns() throws MalformedReviewException {
		AdmissionHandler handler = handler(true);
		byte[] dry = handler.handle(Reviews.RING, review("", true)).body();
		assertThat(assignments()).isZero();
		assertThat(dry).isEqualTo(handler.handle(Reviews.RING, review("", false)).body());
	}

	@Test
	@DisplayName("79 unknown ring: allowed; in mode webhook with a warning")
	void allowsForUnknownRing() throws MalformedReviewException {
		Map<String, Object> both = Reviews.response(handler(true).handle("other", review("", false)).body());
		assertThat(both).containsEntry("allowed", true).doesNotContainKeys("patch", "patchType", "warnings");
		Map<String, Object> alone = Reviews.response(handler(false).handle("other", review("", false)).body());
		assertThat(alone).containsEntry("allowed", true).doesNotContainKey("patch");
		assertThat((List<?>) alone.get("warnings")).singleElement()
			.asString()
			.contains("ControllerRing other")
			.contains("not assigned");
	}

	@Test
	@DisplayName("80 undecodable object: no answer, which the API server takes for a failed webhook")
	void refusesUndecodableObject() {
		byte[] broken = Reviews.bytes(Reviews.secret("foo", "[\"a\"]", false));
		assertThatExceptionOfType(MalformedReviewException.class)
			.isThrownBy(() -> handler(true).handle(Reviews.RING, broken));
	}

	private AdmissionHandler handler(boolean watching) {
		return new AdmissionHandler(new AdmissionReviews(Reviews.SERIALIZATION),
				(ring) -> Reviews.RING.equals(ring) ? Reviews.VIEW : null, watching, new WebhookMetrics(this.registry));
	}

	private static byte[] review(String labels, boolean dryRun) {
		return Reviews.bytes(Reviews.secret("foo", labels, dryRun));
	}

	private double assignments() {
		return this.registry.find("controller.sharding.assignments")
			.tags("controllerring", Reviews.RING, "group", "", "resource", "secrets")
			.counters()
			.stream()
			.mapToDouble((counter) -> counter.count())
			.sum();
	}

}
