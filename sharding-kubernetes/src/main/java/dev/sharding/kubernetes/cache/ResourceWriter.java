package dev.sharding.kubernetes.cache;

import java.util.LinkedHashMap;
import java.util.Map;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.informer.ObjectDecoder;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ApiResponse;
import dev.sharding.kubernetes.rest.MediaTypes;

/**
 * Turns writes of one resource into requests, and answers into objects. It decides
 * nothing: versions and labels are set by {@link InformerCache} before.
 */
final class ResourceWriter<T extends HasMetadata> {

	private final ResourceType<T> type;

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	private final ObjectDecoder<T> decoder;

	private final String fieldManager;

	ResourceWriter(ResourceType<T> type, ApiRequests requests, KubernetesSerialization serialization,
			String fieldManager) {
		this.type = type;
		this.requests = requests;
		this.serialization = serialization;
		this.decoder = new ObjectDecoder<>(serialization, type, false);
		this.fieldManager = fieldManager;
	}

	T create(T object) {
		return send("POST", this.type.path(namespace(object), null), MediaTypes.JSON, body(object), object);
	}

	T update(T object) {
		return send("PUT", path(object), MediaTypes.JSON, body(object), object);
	}

	T updateStatus(T object) {
		return send("PUT", path(object) + "/status", MediaTypes.JSON, body(object), object);
	}

	T patch(T object, Map<String, @Nullable Object> patch) {
		return send("PATCH", path(object), MediaTypes.MERGE_PATCH, this.serialization.asJson(patch), object);
	}

	T apply(T object) {
		ApiRequest request = ApiRequest.of("PATCH", path(object), MediaTypes.APPLY_PATCH, body(object))
			.query("fieldManager", this.fieldManager)
			.query("force", "true")
			.about(object);
		return read(request);
	}

	/**
	 * Deletes an object.
	 * @return the object as it is while it waits for its end, or {@code null} if it is
	 * gone
	 * @throws ApiException if the API server did not delete it, with its name and status
	 * 404 when there is none
	 */
	@Nullable T delete(T object) {
		Map<String, Object> preconditions = new LinkedHashMap<>();
		if (object.getMetadata().getUid() != null) {
			preconditions.put("uid", object.getMetadata().getUid());
		}
		if (object.getMetadata().getResourceVersion() != null) {
			preconditions.put("resourceVersion", object.getMetadata().getResourceVersion());
		}
		Map<String, Object> options = Map.of("apiVersion", "v1", "kind", "DeleteOptions", "propagationPolicy",
				"Background", "preconditions", preconditions);
		ApiResponse response = this.requests
			.call(ApiRequest.of("DELETE", path(object), MediaTypes.JSON, this.serialization.asJson(options))
				.about(object));
		Map<?, ?> answer = this.serialization.unmarshal(response.stream(), Map.class);
		if (!(answer.get("metadata") instanceof Map<?, ?> metadata) || metadata.get("deletionTimestamp") == null) {
			return null;
		}
		T ending = this.serialization.convertValue(answer, this.type.javaType());
		ending.getMetadata().setManagedFields(null);
		return ending;
	}

	/** The object as JSON without its Java class, for comparing two states of it. */
	Map<?, ?> tree(T object) {
		return this.serialization.convertValue(object, Map.class);
	}

	private T send(String method, String path, String contentType, String body, T about) {
		return read(
				ApiRequest.of(method, path, contentType, body).query("fieldManager", this.fieldManager).about(about));
	}

	private T read(ApiRequest request) {
		return this.decoder.decode(this.requests.call(request).bytes());
	}

	private String body(T object) {
		if (object instanceof GenericKubernetesResource generic) {
			generic.setApiVersion(this.type.apiVersion());
			generic.setKind(this.type.kind());
		}
		return this.serialization.asJson(object);
	}

	private String path(T object) {
		if (object.getMetadata().getName() == null) {
			throw new IllegalArgumentException("'metadata.name' must be set to write %s".formatted(this.type));
		}
		return this.type.path(new ObjectKey(namespace(object), object.getMetadata().getName()));
	}

	private String namespace(T object) {
		String namespace = object.getMetadata().getNamespace();
		if (this.type.namespaced() && (namespace == null || namespace.isEmpty())) {
			throw new IllegalArgumentException(
					"'metadata.namespace' must be set to write %s, whose objects live in namespaces"
						.formatted(this.type));
		}
		return this.type.namespaced() && namespace != null ? namespace : "";
	}

}
