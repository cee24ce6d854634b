package dev.sharding.internal.kubernetes.cache;

import java.util.Map;
import java.util.function.LongSupplier;

import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.NoStatusSubresourceException;
import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Whether the status of a resource is a subresource, so that other writes leave it alone
 * without a word. Asked only when such a write comes with a status; a definition may
 * change, so an answer holds for a minute.
 */
final class StatusSubresource {

	private static final long HOLDS_NANOS = 60_000_000_000L;

	private final ResourceType<?> type;

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	private final LongSupplier nanos;

	private volatile @Nullable Known known;

	StatusSubresource(ResourceType<?> type, ApiRequests requests, KubernetesSerialization serialization,
			LongSupplier nanos) {
		this.type = type;
		this.requests = requests.unguarded();
		this.serialization = serialization;
		this.nanos = nanos;
	}

	/**
	 * Refuses a write whose status would be lost.
	 * @param operation what is done, and to what
	 * @param sent what is sent
	 * @param instead the operation that writes a status
	 */
	void requireNoneIn(String operation, Map<?, ?> sent, String instead) {
		Object status = sent.get("status");
		boolean says = sent.containsKey("status") && !(status instanceof Map<?, ?> map && map.isEmpty());
		if (says && isServed()) {
			throw new IllegalArgumentException(
					"Failed to %s: the status of %s is a subresource, so that the API server would ignore it here; use %s"
						.formatted(operation, this.type, instead));
		}
	}

	/**
	 * Explains why a status could not be written.
	 * @param key the object
	 * @param failure what the write ended with
	 * @return the same, unless there is no such subresource
	 */
	RuntimeException explained(ObjectKey key, ApiException failure) {
		if (!failure.isNotFound()) {
			return failure;
		}
		// The answer is the same where it is the object that is missing.
		try {
			return isServed() ? failure : new NoStatusSubresourceException(this.type, key, failure);
		}
		catch (ApiException ex) {
			failure.addSuppressed(ex);
			return failure;
		}
	}

	private boolean isServed() {
		Known before = this.known;
		long now = this.nanos.getAsLong();
		if (before != null && now - before.at < HOLDS_NANOS) {
			return before.served;
		}
		APIResourceList served = this.serialization.unmarshal(
				this.requests.call(ApiRequest.of("GET", this.type.versionPath())).stream(), APIResourceList.class);
		String name = this.type.plural() + "/status";
		boolean answer = served.getResources().stream().anyMatch((resource) -> resource.getName().equals(name));
		this.known = new Known(answer, now);
		return answer;
	}

	/**
	 * What discovery said.
	 *
	 * @param served whether there is a subresource
	 * @param at when it was asked
	 */
	private record Known(boolean served, long at) {
	}

}
