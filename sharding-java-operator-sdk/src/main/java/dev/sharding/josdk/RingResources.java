package dev.sharding.josdk;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.GroupResource;

/**
 * What a ControllerRing shares out.
 *
 * @param controlled the controlled resources of each main resource
 */
record RingResources(Map<GroupResource, Set<GroupResource>> controlled) {

	/** Nothing, as long as nobody has read the ring. */
	static final RingResources NONE = new RingResources(Map.of());

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	/**
	 * Asks the API server.
	 * @throws ApiException if it gives no answer, or there is no such ring
	 */
	static RingResources read(KubernetesClient client, String ring) {
		return of(client.getKubernetesSerialization()
			.unmarshal(new ApiRequests(client)
				.call(ApiRequest.of("GET", "/apis/sharding.timebertt.dev/v1alpha1/controllerrings/" + ring)
					.timeout(TIMEOUT))
				.stream(), GenericKubernetesResource.class));
	}

	static RingResources of(GenericKubernetesResource ring) {
		Map<GroupResource, Set<GroupResource>> controlled = new LinkedHashMap<>();
		for (Map<?, ?> main : maps(ring.get("spec", "resources"))) {
			Set<GroupResource> children = controlled.computeIfAbsent(groupResource(main),
					(absent) -> new LinkedHashSet<>());
			maps(main.get("controlledResources")).forEach((child) -> children.add(groupResource(child)));
		}
		return new RingResources(controlled);
	}

	boolean isMain(GroupResource resource) {
		return this.controlled.containsKey(resource);
	}

	/** Whether objects of the resource go where their controller goes. */
	boolean isControlled(GroupResource resource) {
		return !isMain(resource)
				&& this.controlled.values().stream().anyMatch((children) -> children.contains(resource));
	}

	/**
	 * Whether objects of a resource go where an object of a main resource goes that
	 * controls them.
	 */
	boolean isControlledBy(GroupResource resource, GroupResource main) {
		return !isMain(resource) && this.controlled.getOrDefault(main, Set.of()).contains(resource);
	}

	private static List<Map<?, ?>> maps(@Nullable Object value) {
		if (!(value instanceof List<?> list)) {
			return List.of();
		}
		return list.stream().filter(Map.class::isInstance).<Map<?, ?>>map((item) -> (Map<?, ?>) item).toList();
	}

	private static GroupResource groupResource(Map<?, ?> resource) {
		Object group = resource.get("group");
		return new GroupResource((group != null) ? group.toString() : "", String.valueOf(resource.get("resource")));
	}

}
