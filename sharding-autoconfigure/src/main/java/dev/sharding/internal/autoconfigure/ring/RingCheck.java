package dev.sharding.internal.autoconfigure.ring;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.SecondaryWatch;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.GroupResource;

/**
 * Looks whether the ring exists, lists the resources of the controllers, and covers no
 * more namespaces than the shard.
 */
public final class RingCheck {

	/** Where the rings are. */
	public static final String PATH = "/apis/sharding.timebertt.dev/v1alpha1/controllerrings/";

	/** A start waits for no more than this. */
	static final Duration TIMEOUT = Duration.ofSeconds(5);

	private final KubernetesClient client;

	private final ApiRequests requests;

	private final String ring;

	private final Set<String> namespaces;

	private final AtomicReference<@Nullable CompletableFuture<ApiResponse>> asked = new AtomicReference<>();

	/**
	 * Creates the check.
	 * @param client asks for the ring
	 * @param ring its name
	 * @param namespaces the namespaces that the shard watches; empty for all
	 */
	public RingCheck(KubernetesClient client, String ring, Set<String> namespaces) {
		this.client = client;
		this.requests = new ApiRequests(client);
		this.ring = ring;
		this.namespaces = namespaces;
	}

	/**
	 * Asks the API server for the ring and does not wait: the first request of a process
	 * takes its time, which others can use meanwhile.
	 */
	public void ask() {
		this.asked.set(question());
	}

	/**
	 * Looks at the ring.
	 * @param controllers the controllers of this application
	 * @return what was found; not older than this call unless all was well, or no answer
	 * came
	 * @throws InterruptedException if the thread is interrupted meanwhile
	 */
	RingFinding run(List<ControllerSpec<?>> controllers) throws InterruptedException {
		CompletableFuture<ApiResponse> early = this.asked.getAndSet(null);
		if (early != null) {
			RingFinding found = found(controllers, early);
			if (found.kind() == RingFinding.Kind.MATCHES || found.kind() == RingFinding.Kind.UNREACHABLE) {
				return found;
			}
		}
		return found(controllers, question());
	}

	private CompletableFuture<ApiResponse> question() {
		return this.requests.send(ApiRequest.of("GET", PATH + this.ring).timeout(TIMEOUT).exempted());
	}

	private RingFinding found(List<ControllerSpec<?>> controllers, CompletableFuture<ApiResponse> answer)
			throws InterruptedException {
		try {
			GenericKubernetesResource found = this.client.getKubernetesSerialization()
				.unmarshal(answer.get().stream(), GenericKubernetesResource.class);
			return compare(controllers, found);
		}
		catch (ExecutionException ex) {
			return failure(ApiException.of(ex));
		}
	}

	private RingFinding failure(ApiException failure) {
		if (failure.status() == 404) {
			// Without the resource definition the answer is no Status and has no reason.
			return failure.reason().isEmpty() ? new RingFinding(RingFinding.Kind.RINGS_UNKNOWN,
					"The API server knows no ControllerRings: install the CustomResourceDefinition, or the sharder")
					: new RingFinding(RingFinding.Kind.RING_ABSENT,
							"There is no ControllerRing '%s': create it, or correct 'sharding.ring'"
								.formatted(this.ring));
		}
		if (failure.status() == 403) {
			return new RingFinding(RingFinding.Kind.FORBIDDEN,
					"Cannot check that ControllerRing '%s' lists the resources of the controllers: %s"
						.formatted(this.ring, failure.getMessage()));
		}
		return unreachable(this.client, failure);
	}

	static RingFinding unreachable(KubernetesClient client, ApiException failure) {
		return new RingFinding(RingFinding.Kind.UNREACHABLE, "The API server at %s gives no useful answer: %s"
			.formatted(client.getMasterUrl(), failure.getMessage()));
	}

	String ring() {
		return this.ring;
	}

	RingFinding compare(List<ControllerSpec<?>> controllers, GenericKubernetesResource found) {
		Map<GroupResource, Set<GroupResource>> controlled = new LinkedHashMap<>();
		for (Map<?, ?> resource : maps(found.get("spec", "resources"))) {
			Set<GroupResource> children = controlled.computeIfAbsent(groupResource(resource),
					(main) -> new LinkedHashSet<>());
			maps(resource.get("controlledResources")).forEach((child) -> children.add(groupResource(child)));
		}
		for (ControllerSpec<?> controller : controllers) {
			GroupResource main = controller.type().groupResource();
			Set<GroupResource> children = controlled.get(main);
			if (children == null) {
				return mismatch(controller, main, "main resource", controlled.keySet());
			}
			for (SecondaryWatch<?> watch : controller.watches()) {
				GroupResource resource = watch.type().groupResource();
				if (watch.sharded() && !children.contains(resource) && !controlled.containsKey(resource)) {
					return mismatch(controller, resource, "controlled resource of " + main, children);
				}
			}
		}
		if (!RingNamespaces.areWithin(this.namespaces, found.get("spec", "namespaceSelector"))) {
			return new RingFinding(RingFinding.Kind.WIDER,
					"ControllerRing '%s' may give this shard objects outside of 'sharding.namespaces' (%s), which nobody would reconcile: select the same namespaces in the ring (spec.namespaceSelector, by kubernetes.io/metadata.name), or remove the property"
						.formatted(this.ring, String.join(", ", new TreeSet<>(this.namespaces))));
		}
		return new RingFinding(RingFinding.Kind.MATCHES, "");
	}

	private RingFinding mismatch(ControllerSpec<?> controller, GroupResource resource, String role,
			Set<GroupResource> listed) {
		return new RingFinding(RingFinding.Kind.MISMATCH,
				"Controller '%s' needs %s as a %s in ControllerRing '%s', which lists %s".formatted(controller.name(),
						resource, role, this.ring, listed.isEmpty() ? "none" : listed));
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
