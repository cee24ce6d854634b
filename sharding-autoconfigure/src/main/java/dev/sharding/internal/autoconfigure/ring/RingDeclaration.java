package dev.sharding.internal.autoconfigure.ring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.SecondaryWatch;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties.RingDefinition;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.GroupResource;

/**
 * Makes a ring what the properties say, by server-side apply: what others have set in it
 * stays theirs.
 */
public final class RingDeclaration {

	private final KubernetesClient client;

	private final String ring;

	private final RingDefinition definition;

	private final String fieldManager;

	/**
	 * Creates the declaration.
	 * @param client sends it
	 * @param ring the name of the ring
	 * @param definition what it shall be
	 * @param fieldManager who the API server notes as the writer, the same in all shards
	 */
	public RingDeclaration(KubernetesClient client, String ring, RingDefinition definition, String fieldManager) {
		this.client = client;
		this.ring = ring;
		this.definition = definition;
		this.fieldManager = fieldManager;
	}

	/**
	 * Applies the declaration.
	 * @param controllers the controllers of the ring, whose resources it lists unless the
	 * properties list others
	 * @return what kept it from being applied, or {@code null}
	 * @throws InterruptedException if the thread is interrupted meanwhile
	 */
	@Nullable RingFinding apply(List<ControllerSpec<?>> controllers) throws InterruptedException {
		String body = this.client.getKubernetesSerialization().asJson(object(controllers));
		ApiRequest request = ApiRequest.of("PATCH", RingCheck.PATH + this.ring, "application/apply-patch+yaml", body)
			.query("fieldManager", this.fieldManager)
			.timeout(RingCheck.TIMEOUT);
		try {
			new ApiRequests(this.client).send(request).get();
			return null;
		}
		catch (ExecutionException ex) {
			return problem(ApiException.of(ex));
		}
	}

	private RingFinding problem(ApiException failure) {
		if (!failure.isAnswered() || failure.status() == 401 || failure.status() >= 500) {
			return RingCheck.unreachable(this.client, failure);
		}
		return new RingFinding(
				(failure.status() == 404) ? RingFinding.Kind.RINGS_UNKNOWN : RingFinding.Kind.NOT_DECLARED,
				"Failed to apply ControllerRing '%s' as declared under 'sharding.definition': %s".formatted(this.ring,
						failure.getMessage()));
	}

	private Map<String, Object> object(List<ControllerSpec<?>> controllers) {
		Map<String, Object> spec = new LinkedHashMap<>();
		spec.put("resources", this.definition.resources().isEmpty() ? ofControllers(controllers) : ofProperties());
		if (!this.definition.namespaceSelector().isEmpty()) {
			spec.put("namespaceSelector", Map.of("matchLabels", this.definition.namespaceSelector()));
		}
		return Map.of("apiVersion", "sharding.timebertt.dev/v1alpha1", "kind", "ControllerRing", "metadata",
				Map.of("name", this.ring), "spec", spec);
	}

	private List<Map<String, Object>> ofProperties() {
		List<Map<String, Object>> resources = new ArrayList<>();
		for (RingDefinition.MainResource main : this.definition.resources()) {
			resources.add(resource(new GroupResource(main.group(), main.resource()),
					main.controlledResources()
						.stream()
						.map((controlled) -> new GroupResource(controlled.group(), controlled.resource()))
						.toList()));
		}
		return resources;
	}

	private static List<Map<String, Object>> ofControllers(List<ControllerSpec<?>> controllers) {
		Map<GroupResource, Set<GroupResource>> resources = new LinkedHashMap<>();
		for (ControllerSpec<?> controller : controllers) {
			Set<GroupResource> controlled = resources.computeIfAbsent(controller.type().groupResource(),
					(main) -> new LinkedHashSet<>());
			controller.watches()
				.stream()
				.filter(SecondaryWatch::sharded)
				.forEach((watch) -> controlled.add(watch.type().groupResource()));
		}
		return resources.entrySet().stream().map((entry) -> resource(entry.getKey(), entry.getValue())).toList();
	}

	private static Map<String, Object> resource(GroupResource main, Iterable<GroupResource> controlled) {
		Map<String, Object> resource = new LinkedHashMap<>(names(main));
		List<Map<String, Object>> children = new ArrayList<>();
		controlled.forEach((child) -> children.add(names(child)));
		if (!children.isEmpty()) {
			resource.put("controlledResources", children);
		}
		return resource;
	}

	private static Map<String, Object> names(GroupResource resource) {
		return Map.of("group", resource.group(), "resource", resource.resource());
	}

}
