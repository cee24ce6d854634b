package dev.sharding.internal.kubernetes.handover;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.LabelPatch;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.RetryTime;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.DrainHandler;

/**
 * Acknowledges a drain with one merge patch that takes off both labels and applies only
 * to the version that was seen (protocol section 6.4). No limit of QoS delays it; after
 * the API server, being too busy, asked to be left alone, nothing is sent before that
 * time, for whatever object.
 */
public final class PatchingDrainHandler implements DrainHandler {

	private static final Logger logger = LoggerFactory.getLogger(PatchingDrainHandler.class);

	private static final int TOO_MANY_REQUESTS = 429;

	private final ApiRequests requests;

	private final String ring;

	private final AnswerListener answers;

	private final RetryTime retry;

	/**
	 * Creates the handler of one ring.
	 * @param requests sends the patch
	 * @param ring the name of the ControllerRing
	 */
	public PatchingDrainHandler(ApiRequests requests, String ring) {
		this(requests, ring, (type, object, answer) -> {
		}, new RetryTime(System::nanoTime));
	}

	private PatchingDrainHandler(ApiRequests requests, String ring, AnswerListener answers, RetryTime retry) {
		this.requests = requests.unthrottled();
		this.ring = ring;
		this.answers = answers;
		this.retry = retry;
	}

	/**
	 * Has somebody told what the API server answers, so that caches show at once that the
	 * object is let go.
	 * @param listener gets the answers
	 * @return a handler that tells it
	 */
	public PatchingDrainHandler tellingAnswersTo(AnswerListener listener) {
		return new PatchingDrainHandler(this.requests, this.ring, listener, this.retry);
	}

	/**
	 * Has the patch sent in another way, such as past a guard.
	 * @param others sends the patch
	 * @return a handler that uses them
	 */
	public PatchingDrainHandler through(ApiRequests others) {
		return new PatchingDrainHandler(others, this.ring, this.answers, this.retry);
	}

	@Override
	public boolean acknowledge(ResourceType<?> type, HasMetadata object) {
		ApiRequest request = request(type, object);
		try {
			return acknowledged(type, object, this.requests.call(request));
		}
		catch (ApiException ex) {
			return refused(object, ex);
		}
	}

	@Override
	public CompletableFuture<Boolean> begin(ResourceType<?> type, HasMetadata object) {
		CompletableFuture<ApiResponse> sent;
		try {
			sent = this.requests.send(request(type, object));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		CompletableFuture<Boolean> done = sent.handleAsync((answer, failure) -> {
			if (failure == null) {
				return acknowledged(type, object, answer);
			}
			if (failure instanceof ApiException refusal) {
				return refused(object, refusal);
			}
			throw new CompletionException(failure);
		}, ProtocolThreads.EXECUTOR);
		done.whenComplete((result, failure) -> sent.cancel(true));
		return done;
	}

	private ApiRequest request(ResourceType<?> type, HasMetadata object) {
		ObjectKey key = ObjectKey.of(object);
		Duration left = this.retry.left();
		if (left != null) {
			throw new ApiException(TOO_MANY_REQUESTS, "TooManyRequests", left,
					"Did not send the acknowledgement of %s %s: the API server wants to be left alone for another %d ms"
						.formatted(type, key, left.toMillis()),
					null);
		}
		LabelPatch patch = LabelPatch.acknowledgeDrain(this.ring, object.getMetadata().getResourceVersion())
			.unmarking(this.ring, object.getMetadata().getLabels());
		return ApiRequest.of("PATCH", type.path(key), LabelPatch.CONTENT_TYPE, patch.toJson())
			.accept(MediaTypes.METADATA)
			.about(object);
	}

	private boolean acknowledged(ResourceType<?> type, HasMetadata object, ApiResponse answer) {
		logger.debug("Acknowledged drain ring={} resource={} key={}", this.ring, type, ObjectKey.of(object));
		tell(type, object, answer);
		return true;
	}

	private boolean refused(HasMetadata object, ApiException refusal) {
		if (refusal.isConflict()) {
			return false;
		}
		if (refusal.isNotFound(object.getMetadata().getName())) {
			return true;
		}
		if (refusal.isOverload()) {
			this.retry.refused(refusal);
		}
		throw refusal;
	}

	private void tell(ResourceType<?> type, HasMetadata object, ApiResponse answer) {
		try {
			this.answers.acknowledged(type, object, answer);
		}
		catch (RuntimeException ex) {
			// The watch will tell.
			logger.warn("Failed to note an acknowledged drain ring={} resource={} key={}", this.ring, type,
					ObjectKey.of(object), ex);
		}
	}

	/**
	 * Hears of acknowledged drains.
	 */
	@FunctionalInterface
	public interface AnswerListener {

		/**
		 * A drain was acknowledged.
		 * @param type the resource of the object
		 * @param object the object as it was before
		 * @param answer its metadata as they are now, a PartialObjectMetadata
		 */
		void acknowledged(ResourceType<?> type, HasMetadata object, ApiResponse answer);

	}

}
