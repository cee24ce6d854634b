package dev.sharding.kubernetes.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ApiResponse;
import dev.sharding.kubernetes.rest.MediaTypes;

/**
 * What the overlay wants to know from the API server: most recent lists, each with the
 * version it stands for.
 */
final class ScopeQuestions<T extends HasMetadata> {

	private final ResourceType<T> type;

	private final String namespace;

	private final @Nullable String labelSelector;

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	ScopeQuestions(ResourceType<T> type, String namespace, @Nullable String labelSelector, ApiRequests requests,
			KubernetesSerialization serialization) {
		this.type = type;
		this.namespace = namespace;
		this.labelSelector = labelSelector;
		this.requests = requests;
		this.serialization = serialization;
	}

	/** Lists one object or, without a key, the scope. */
	Answer<T> list(@Nullable ObjectKey key) {
		return answer(this.requests.call(question(key)));
	}

	/** Learns the version of the moment. */
	CompletableFuture<String> version() {
		return this.requests
			.send(ApiRequest.of("GET", this.type.path(this.namespace.isEmpty() ? null : this.namespace, null))
				.query("limit", "1")
				.accept(MediaTypes.METADATA_LIST))
			.thenApply((response) -> version(tree(response)));
	}

	private ApiRequest question(@Nullable ObjectKey key) {
		String where = (key != null && !key.namespace().isEmpty()) ? key.namespace() : this.namespace;
		ApiRequest request = ApiRequest.of("GET", this.type.path(where.isEmpty() ? null : where, null))
			.query("labelSelector", this.labelSelector);
		return (key != null) ? request.query("fieldSelector", "metadata.name=" + key.name()) : request;
	}

	private Answer<T> answer(ApiResponse response) {
		Map<?, ?> list = tree(response);
		List<T> found = new ArrayList<>();
		if (list.get("items") instanceof List<?> items) {
			for (Object item : items) {
				T object = this.serialization.convertValue(item, this.type.javaType());
				object.getMetadata().setManagedFields(null);
				found.add(object);
			}
		}
		return new Answer<>(found, version(list));
	}

	private Map<?, ?> tree(ApiResponse response) {
		return this.serialization.unmarshal(response.stream(), Map.class);
	}

	private static String version(Map<?, ?> list) {
		Object version = (list.get("metadata") instanceof Map<?, ?> metadata) ? metadata.get("resourceVersion") : null;
		return (version != null) ? version.toString() : "";
	}

	/**
	 * A list.
	 *
	 * @param objects what it shows
	 * @param version what it stands for
	 */
	record Answer<T>(Collection<T> objects, String version) {
	}

}
