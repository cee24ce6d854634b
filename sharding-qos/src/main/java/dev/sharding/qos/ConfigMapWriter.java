package dev.sharding.qos;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * Writes one key of a ConfigMap, unless somebody else wrote since it was looked at.
 */
final class ConfigMapWriter {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final KubernetesClient client;

	private final String collection;

	private final String name;

	ConfigMapWriter(KubernetesClient client, String namespace, String name) {
		this.client = client;
		this.collection = "/api/v1/namespaces/" + namespace + "/configmaps";
		this.name = name;
	}

	/**
	 * Writes.
	 * @param before the ConfigMap as it was looked at, {@code null} if there was none
	 * @param key the key
	 * @param text what it should hold
	 * @return the version written
	 * @throws RulesNotWrittenException if it was not written
	 */
	String write(@Nullable ConfigMap before, String key, String text) {
		Map<String, String> metadata = new LinkedHashMap<>(Map.of("name", this.name));
		if (before != null) {
			// The precondition: of the same object, and as it was.
			metadata.put("uid", before.getMetadata().getUid());
			metadata.put("resourceVersion", before.getMetadata().getResourceVersion());
		}
		String body = this.client.getKubernetesSerialization()
			.asJson(Map.of("apiVersion", "v1", "kind", "ConfigMap", "metadata", metadata, "data", Map.of(key, text)));
		ApiRequest request = (before != null)
				? ApiRequest.of("PATCH", this.collection + "/" + this.name, MediaTypes.MERGE_PATCH, body)
				: ApiRequest.of("POST", this.collection, MediaTypes.JSON, body);
		try {
			return this.client.getKubernetesSerialization()
				.unmarshal(new ApiRequests(this.client).call(request.timeout(TIMEOUT)).text(), ConfigMap.class)
				.getMetadata()
				.getResourceVersion();
		}
		catch (ApiException ex) {
			boolean conflict = ex.status() == 409 || (before != null && ex.isNotFound());
			String what = ex.isWithoutEffect() ? "ConfigMap '%s' was not written: %s"
					: "Nobody knows whether ConfigMap '%s' was written, as there was no answer in time: look at it (%s)";
			throw new RulesNotWrittenException(conflict, (conflict
					? "Somebody else changed ConfigMap '%s' meanwhile, so this change was not made: look at it and try again (%s)"
					: what)
				.formatted(this.name, ex.getMessage()));
		}
	}

}
