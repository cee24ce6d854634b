package dev.sharding.kubernetes.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiResponse;

/**
 * The answer to a list.
 *
 * @param objects what it shows, without managed fields and without what does not fit its
 * class
 * @param version its resource version, or empty
 * @param continueToken where the next page begins, or empty
 */
record ListedObjects<T extends HasMetadata>(List<T> objects, String version, String continueToken) {

	private static final Logger logger = LoggerFactory.getLogger(InformerCaches.class);

	static <T extends HasMetadata> ListedObjects<T> of(ResourceType<T> type, KubernetesSerialization serialization,
			ApiResponse answer) {
		Map<?, ?> list = serialization.unmarshal(answer.stream(), Map.class);
		List<T> found = new ArrayList<>();
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
					// The informer leaves out what does not fit its class, too.
					logger.debug("Leaving out an object that does not fit its class resource={} reason=\"{}\"", type,
							ex.getMessage());
				}
			}
		}
		return new ListedObjects<>(found, text(list, "resourceVersion"), text(list, "continue"));
	}

	private static String text(Map<?, ?> list, String name) {
		Object value = (list.get("metadata") instanceof Map<?, ?> metadata) ? metadata.get(name) : null;
		return (value != null) ? value.toString() : "";
	}

}
