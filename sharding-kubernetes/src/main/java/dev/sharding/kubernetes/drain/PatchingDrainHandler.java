package dev.sharding.kubernetes.drain;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.core.assignment.LabelPatch;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ApiResponse;
import dev.sharding.kubernetes.rest.MediaTypes;

/**
 * Acknowledges a drain with one merge patch that takes off both labels and applies only
 * to the version that was seen (protocol section 6.4).
 */
public final class PatchingDrainHandler implements DrainHandler {

	private static final Logger logger = LoggerFactory.getLogger(PatchingDrainHandler.class);

	private static final int CONFLICT = 409;

	private final ApiRequests requests;

	private final String ring;

	private final AnswerListener answers;

	/**
	 * Creates the handler of one ring.
	 * @param requests sends the patch
	 * @param ring the name of the ControllerRing
	 */
	public PatchingDrainHandler(ApiRequests requests, String ring) {
		this(requests, ring, (type, object, answer) -> {
		});
	}

	private PatchingDrainHandler(ApiRequests requests, String ring, AnswerListener answers) {
		this.requests = requests;
		this.ring = ring;
		this.answers = answers;
	}

	/**
	 * Has somebody told what the API server answers, so that caches show at once that the
	 * object is let go.
	 * @param listener gets the answers
	 * @return a handler that tells it
	 */
	public PatchingDrainHandler tellingAnswersTo(AnswerListener listener) {
		return new PatchingDrainHandler(this.requests, this.ring, listener);
	}

	/**
	 * Has the patch sent in another way, such as past a guard.
	 * @param others sends the patch
	 * @return a handler that uses them
	 */
	public PatchingDrainHandler through(ApiRequests others) {
		return new PatchingDrainHandler(others, this.ring, this.answers);
	}

	@Override
	public boolean acknowledge(ResourceType<?> type, HasMetadata object) {
		ObjectKey key = ObjectKey.of(object);
		LabelPatch patch = LabelPatch.acknowledgeDrain(this.ring, object.getMetadata().getResourceVersion())
			.unmarking(this.ring, object.getMetadata().getLabels());
		ApiRequest request = ApiRequest.of("PATCH", type.path(key), LabelPatch.CONTENT_TYPE, patch.toJson())
			.accept(MediaTypes.METADATA)
			.about(object);
		try {
			ApiResponse answer = this.requests.call(request);
			logger.debug("Acknowledged drain ring={} resource={} key={}", this.ring, type, key);
			tell(type, object, answer);
			return true;
		}
		catch (ApiException ex) {
			if (ex.status() == CONFLICT) {
				return false;
			}
			if (ex.isNotFound(key.name())) {
				return true;
			}
			throw ex;
		}
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
