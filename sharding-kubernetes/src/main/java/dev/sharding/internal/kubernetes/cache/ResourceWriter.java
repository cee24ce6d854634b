package dev.sharding.internal.kubernetes.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.DeleteOptions;
import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.overlay.WriteAnswer;
import dev.sharding.internal.kubernetes.informer.wire.ObjectDecoder;
import dev.sharding.internal.kubernetes.informer.wire.UndecodableException;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

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

	private final StoreLookup<T> store;

	/**
	 * Creates a writer.
	 * @param store may have what a write brings before its answer comes
	 */
	ResourceWriter(ResourceType<T> type, ApiRequests requests, KubernetesSerialization serialization,
			String fieldManager, StoreLookup<T> store) {
		this.type = type;
		this.requests = requests;
		this.serialization = serialization;
		this.decoder = new ObjectDecoder<>(serialization, type, false).slimming();
		this.fieldManager = fieldManager;
		this.store = store;
	}

	T create(T object) {
		String name = object.getMetadata().getName();
		String namespace = namespace(object);
		if (name != null && !name.isEmpty()) {
			this.type.requirePossible(new ObjectKey(namespace, name));
		}
		return send("POST", this.type.path(namespace, null), MediaTypes.JSON, body(object), object);
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

	T patchStatus(T object, Map<String, @Nullable Object> patch) {
		return send("PATCH", path(object) + "/status", MediaTypes.MERGE_PATCH, this.serialization.asJson(patch),
				object);
	}

	/**
	 * Applies an object.
	 * @param force whether to take over fields that others own; otherwise it fails with
	 * 409
	 */
	T apply(T object, boolean force) {
		return apply(path(object), body(object), object, force);
	}

	T applyStatus(T object, Map<String, @Nullable Object> fields) {
		return apply(path(object) + "/status", this.serialization.asJson(fields), object, true);
	}

	private T apply(String path, String body, T about, boolean force) {
		return write(ApiRequest.of("PATCH", path, MediaTypes.APPLY_PATCH, body)
			.query("fieldManager", this.fieldManager)
			.query("force", Boolean.toString(force))
			.about(about), about);
	}

	/** The object as the API server has it, {@code null} if it has none. */
	@Nullable T find(T object) {
		try {
			return read(ApiRequest.of("GET", path(object)));
		}
		catch (ApiException ex) {
			if (ex.isNotFound(object.getMetadata().getName())) {
				return null;
			}
			throw ex;
		}
	}

	/**
	 * Deletes an object.
	 * @return the object as it is while it waits for its end, or that it is gone
	 * @throws ApiException if the API server did not delete it, with its name and status
	 * 404 when there is none
	 */
	WriteAnswer<T> delete(T object, DeleteOptions options, Preconditions preconditions) {
		Map<String, Object> body = deleteOptions(options, preconditions);
		body.put("apiVersion", "v1");
		body.put("kind", "DeleteOptions");
		ApiResponse response = this.requests.call(
				ApiRequest.of("DELETE", path(object), MediaTypes.JSON, this.serialization.asJson(body)).about(object));
		return readable(() -> deleted(response, preconditions));
	}

	private WriteAnswer<T> deleted(ApiResponse response, Preconditions preconditions) {
		Map<?, ?> answer = this.serialization.unmarshal(response.stream(), Map.class);
		Map<?, ?> metadata = (answer.get("metadata") instanceof Map<?, ?> present) ? present : Map.of();
		if (metadata.get("deletionTimestamp") == null) {
			return WriteAnswer.gone((preconditions.uid() != null) ? preconditions.uid() : uidIn(answer, metadata));
		}
		T ending = this.serialization.convertValue(answer, this.type.javaType());
		ending.getMetadata().setManagedFields(null);
		return WriteAnswer.of(ending);
	}

	/* The answer is the last state, or a status with some details. */
	private static @Nullable String uidIn(Map<?, ?> answer, Map<?, ?> metadata) {
		Object uid = (answer.get("details") instanceof Map<?, ?> details) ? details.get("uid") : metadata.get("uid");
		return (uid instanceof String text) ? text : null;
	}

	/**
	 * Evicts a Pod. The answer says nothing about it, so one look follows.
	 * @return the Pod as it is while it waits for its end, or that it is gone, or, if the
	 * look failed, that nobody knows
	 * @throws ApiException if the API server did not evict it: with status 429 when a
	 * disruption budget is against it
	 */
	WriteAnswer<T> evict(T pod, DeleteOptions options, Preconditions preconditions) {
		Map<String, Object> metadata = Map.of("name", pod.getMetadata().getName(), "namespace", namespace(pod));
		Map<String, Object> body = Map.of("apiVersion", "policy/v1", "kind", "Eviction", "metadata", metadata,
				"deleteOptions", deleteOptions(options, preconditions));
		this.requests
			.call(ApiRequest.of("POST", path(pod) + "/eviction", MediaTypes.JSON, this.serialization.asJson(body))
				.about(pod));
		try {
			T found = read(ApiRequest.of("GET", path(pod)).exempted());
			boolean another = preconditions.uid() != null && !preconditions.uid().equals(found.getMetadata().getUid());
			return another ? WriteAnswer.gone(preconditions.uid()) : WriteAnswer.of(found);
		}
		catch (ApiException ex) {
			return WriteAnswer.gone(ex.isNotFound(pod.getMetadata().getName()) ? preconditions.uid() : null);
		}
		catch (RuntimeException ex) {
			// It was evicted, whatever became of the look.
			return WriteAnswer.gone(null);
		}
	}

	private static Map<String, Object> deleteOptions(DeleteOptions options, Preconditions preconditions) {
		Map<String, Object> body = new LinkedHashMap<>();
		body.put("propagationPolicy", options.propagation().policy());
		if (options.gracePeriod() != null) {
			body.put("gracePeriodSeconds", options.gracePeriod().toSeconds());
		}
		body.put("preconditions", preconditions.asMap());
		return body;
	}

	/** The version to insist on; none and "0" would let the API server take any. */
	static @Nullable String versionOf(HasMetadata object) {
		String version = object.getMetadata().getResourceVersion();
		return (version == null || version.isEmpty() || version.equals("0")) ? null : version;
	}

	/** The object as JSON without its Java class, for comparing two states of it. */
	Map<?, ?> tree(T object) {
		return this.serialization.convertValue(object, Map.class);
	}

	private T send(String method, String path, String contentType, String body, T about) {
		return write(
				ApiRequest.of(method, path, contentType, body).query("fieldManager", this.fieldManager).about(about),
				about);
	}

	private T write(ApiRequest request, T about) {
		OverlaidStore<T> found = this.store.find();
		if (found == null) {
			return read(request);
		}
		// A name that the API server makes up is that of nothing before.
		T before = (about.getMetadata().getName() != null) ? found.informer().store().get(ObjectKey.of(about)) : null;
		byte[] answer = this.requests.call(request).bytes();
		return readable(() -> found.informer().answer(answer, before, this.decoder));
	}

	private T read(ApiRequest request) {
		byte[] answer = this.requests.call(request).bytes();
		return readable(() -> this.decoder.decode(answer));
	}

	/* What was asked for has happened, although nobody can tell what became of it. */
	private <R> R readable(Supplier<R> reading) {
		try {
			return reading.get();
		}
		catch (UndecodableException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw ApiException.unanswered(
					"Failed to read the answer about %s: %s".formatted(this.type, ApiException.describe(ex)), ex,
					false);
		}
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

	/**
	 * What must be true of an object for it to be deleted.
	 *
	 * @param uid its uid, or {@code null} for any
	 * @param version its resource version, or {@code null} for any
	 */
	record Preconditions(@Nullable String uid, @Nullable String version) {

		Map<String, Object> asMap() {
			Map<String, Object> map = new LinkedHashMap<>();
			if (this.uid != null) {
				map.put("uid", this.uid);
			}
			if (this.version != null) {
				map.put("resourceVersion", this.version);
			}
			return map;
		}

	}

}
