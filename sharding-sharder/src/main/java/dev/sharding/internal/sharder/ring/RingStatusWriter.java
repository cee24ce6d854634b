package dev.sharding.internal.sharder.ring;

import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.sharding.client.ApiException;
import dev.sharding.controller.EventRecorder;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the status of a ring, only if it changed, and records an Event for what turned
 * bad. The answers come back through the watch of the rings, so a writer keeps nothing
 * but what it wrote last.
 */
public final class RingStatusWriter {

	private static final Logger log = LoggerFactory.getLogger(RingStatusWriter.class);

	private static final String PATH = "/apis/sharding.timebertt.dev/v1alpha1/controllerrings/";

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	private final InstantSource clock;

	private final EventRecorder events;

	/**
	 * Creates a writer.
	 * @param requests sends the patch
	 * @param serialization writes JSON
	 * @param clock gives the transition times
	 */
	public RingStatusWriter(ApiRequests requests, KubernetesSerialization serialization, InstantSource clock) {
		this.requests = requests;
		this.serialization = serialization;
		this.clock = clock;
		this.events = new EventRecorder(requests, serialization, "sharding.timebertt.dev/sharder", "sharder", clock);
	}

	/**
	 * Brings the status of a ring to what the report says.
	 * @param ring the ring as last seen
	 * @param written what this writer wrote last for this ring, or {@code null}; it
	 * counts if the ring was not seen since
	 * @param report the facts
	 * @return the status that is there now, {@code null} if the ring is gone; it fails if
	 * the status could not be written
	 */
	public CompletableFuture<@Nullable ControllerRingStatus> write(ControllerRing ring,
			@Nullable ControllerRingStatus written, RingReport report) {
		ControllerRingStatus previous = (written != null) ? written : ring.getStatus();
		ControllerRingStatus next = RingStatusLaw.next(ring.getMetadata().getGeneration(), ring.getSpec(), previous,
				report, this.clock.instant());
		if (next == null) {
			return CompletableFuture.completedFuture(previous);
		}
		String name = ring.getMetadata().getName();
		String body = this.serialization
			.asJson(Map.of("metadata", Map.of("uid", ring.getMetadata().getUid()), "status", next));
		return this.requests.send(ApiRequest.of("PATCH", PATH + name + "/status", MediaTypes.MERGE_PATCH, body))
			.handle((response, failure) -> {
				if (failure == null) {
					tell(ring, previous, next);
					log.debug("Wrote status of ControllerRing {} availableShards={} shards={}", name,
							next.availableShards(), next.shards());
					return next;
				}
				ApiException exception = ApiException.of(failure);
				if (exception.status() == 404) {
					return null;
				}
				throw exception;
			});
	}

	/* An Event for each condition that turned false, or is false for another reason. */
	private void tell(ControllerRing ring, @Nullable ControllerRingStatus previous, ControllerRingStatus next) {
		for (Condition condition : next.conditions()) {
			boolean known = previous != null && previous.conditions()
				.stream()
				.anyMatch((before) -> condition.getType().equals(before.getType())
						&& condition.getStatus().equals(before.getStatus())
						&& condition.getMessage().equals(before.getMessage()));
			if ("False".equals(condition.getStatus()) && !known) {
				this.events.warning(ring, condition.getReason(), "Reconcile", condition.getMessage());
			}
		}
	}

}
