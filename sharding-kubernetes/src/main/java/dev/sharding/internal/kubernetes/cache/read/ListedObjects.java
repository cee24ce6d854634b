package dev.sharding.internal.kubernetes.cache.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.resource.ResourceType;

/**
 * The answer to a list.
 *
 * @param objects what it shows, without managed fields and without what does not fit its
 * class
 * @param undecodable the metadata of what does not
 * @param version its resource version, or empty
 * @param continueToken where the next page begins, or empty
 */
record ListedObjects<T extends HasMetadata>(List<T> objects, List<ObjectMeta> undecodable, String version,
		String continueToken) {

	static <T extends HasMetadata> ListedObjects<T> of(ResourceType<T> type, KubernetesSerialization serialization,
			ApiResponse answer) {
		Map<?, ?> list = serialization.unmarshal(answer.stream(), Map.class);
		List<T> found = new ArrayList<>();
		List<ObjectMeta> undecodable = new ArrayList<>();
		if (list.get("items") instanceof List<?> items) {
			for (Object item : items) {
				try {
					T object = serialization.convertValue(item, type.javaType());
					object.getMetadata().setManagedFields(null);
					if (object instanceof GenericKubernetesResource generic) {
						generic.setApiVersion(type.apiVersion());
						generic.setKind(type.kind());
					}
					found.add(object);
				}
				catch (RuntimeException ex) {
					undecodable.add(metadata(serialization, item));
				}
			}
		}
		return new ListedObjects<>(found, undecodable, text(list, "resourceVersion"), text(list, "continue"));
	}

	/** Often only the specification is odd. */
	private static ObjectMeta metadata(KubernetesSerialization serialization, @Nullable Object item) {
		Object metadata = (item instanceof Map<?, ?> object) ? object.get("metadata") : null;
		try {
			return Objects.requireNonNull(serialization.convertValue(metadata, ObjectMeta.class));
		}
		catch (RuntimeException ex) {
			ObjectMeta identity = new ObjectMeta();
			identity.setLabels(null);
			if (metadata instanceof Map<?, ?> fields) {
				identity.setNamespace(Objects.toString(fields.get("namespace"), null));
				identity.setName(Objects.toString(fields.get("name"), ""));
			}
			return identity;
		}
	}

	private static String text(Map<?, ?> list, String name) {
		Object value = (list.get("metadata") instanceof Map<?, ?> metadata) ? metadata.get(name) : null;
		return (value != null) ? value.toString() : "";
	}

}
