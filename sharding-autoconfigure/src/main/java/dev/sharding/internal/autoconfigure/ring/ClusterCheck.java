package dev.sharding.internal.autoconfigure.ring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.client.ApiException;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.SecondaryWatch;
import dev.sharding.internal.autoconfigure.settings.ShardingStartupException;
import dev.sharding.internal.kubernetes.resource.SchemaGaps;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ResourceType;

/**
 * Looks whether the API server knows the resources of the controllers and lets us work
 * with them. What a reconciler does besides, nobody knows.
 */
public final class ClusterCheck {

	private static final Logger logger = LoggerFactory.getLogger(ClusterCheck.class);

	private static final String REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

	private static final List<String> READ = List.of("get", "list", "watch");

	/* For drains, touches and finalizers. */
	private static final List<String> READ_AND_PATCH = List.of("get", "list", "watch", "patch");

	private static final List<String> LEASE = List.of("get", "create", "update");

	private static final List<String> LEASES_OF_SLOTS = List.of("get", "list", "create", "update");

	private final KubernetesClient client;

	private final ApiRequests requests;

	private final Set<String> namespaces;

	private final @Nullable String leaseNamespace;

	private final @Nullable String ring;

	private final List<String> lease;

	private final List<String> main;

	private final List<String> controlled;

	private final boolean recordsEvents;

	private final String action;

	private ClusterCheck(KubernetesClient client, Set<String> namespaces, @Nullable String leaseNamespace,
			@Nullable String ring, List<String> lease, List<String> main, List<String> controlled,
			boolean recordsEvents, String action) {
		this.ring = ring;
		this.lease = lease;
		this.client = client;
		this.main = main;
		this.controlled = controlled;
		this.recordsEvents = recordsEvents;
		this.action = action;
		this.requests = new ApiRequests(client);
		this.namespaces = namespaces;
		this.leaseNamespace = leaseNamespace;
	}

	/**
	 * A check for the controllers of a ring.
	 * @param client asks
	 * @param namespaces the namespaces that are watched; empty for all
	 * @param leaseNamespace the namespace of the shard's Lease
	 * @param ringOfSlots the ring that it has to read as its shards have slots,
	 * {@code null} without them
	 * @param touches whether it touches what a former holder of its Lease may still write
	 * @return the check
	 */
	public static ClusterCheck ofShard(KubernetesClient client, Set<String> namespaces, String leaseNamespace,
			@Nullable String ringOfSlots, boolean touches) {
		return new ClusterCheck(client, namespaces, leaseNamespace, ringOfSlots,
				(ringOfSlots != null) ? LEASES_OF_SLOTS : LEASE, READ_AND_PATCH, touches ? READ_AND_PATCH : READ, true,
				" (the sharder's command 'roles FILE' prints the roles of a ring)");
	}

	/**
	 * A check for controllers outside any ring, which put no labels on objects.
	 * @param client asks
	 * @param namespaces the namespaces that are watched; empty for all
	 * @param leaseNamespace the namespace of the leader's Lease, {@code null} without
	 * election
	 * @return the check
	 */
	public static ClusterCheck ofLeaderElected(KubernetesClient client, Set<String> namespaces,
			@Nullable String leaseNamespace) {
		return new ClusterCheck(client, namespaces, leaseNamespace, null, LEASE, READ, READ, false, "");
	}

	/**
	 * Ends the start of the application if a resource or a right is missing.
	 * @param controllers the controllers
	 * @throws ShardingStartupException with what to do about it
	 */
	public void requireUsable(List<ControllerSpec<?>> controllers) {
		Map<ResourceType<?>, List<String>> needed = needed(controllers);
		try {
			needed.keySet().forEach(this::requireServed);
			needed.keySet().forEach(this::requireSchema);
			Set<String> missing = new TreeSet<>();
			Set<String> where = this.namespaces.isEmpty() ? Set.of("") : this.namespaces;
			needed.forEach((type, verbs) -> missing.addAll(missing(type.group(), type.plural(), verbs, where)));
			if (this.leaseNamespace != null) {
				Set<String> there = Set.of(this.leaseNamespace);
				missing.addAll(missing("coordination.k8s.io", "leases", this.lease, there));
				List<String> events = this.recordsEvents ? missing("events.k8s.io", "events", List.of("create"), there)
						: List.of();
				if (!events.isEmpty()) {
					logger.warn("What becomes of the Lease will show in no Event: {}", String.join("; ", events));
				}
			}
			if (this.ring != null && !isAllowed("sharding.timebertt.dev", "controllerrings", "get", "", this.ring)) {
				missing.add("get ControllerRing '%s' (as it belongs to no namespace, by a ClusterRoleBinding)"
					.formatted(this.ring));
			}
			if (!missing.isEmpty()) {
				throw new ShardingStartupException(
						"The application lacks rights that its controllers need: " + String.join("; ", missing),
						"Bind a role with these rights to its service account" + this.action
								+ ", or have it wait with 'sharding.on-startup-problem=wait'.",
						null);
			}
		}
		catch (ApiException ex) {
			throw new ShardingStartupException("Failed to look at the cluster: " + ex.getMessage(),
					"Check the address and the credentials of the cluster, or have the application wait with"
							+ " 'sharding.on-startup-problem=wait'.",
					ex);
		}
	}

	private Map<ResourceType<?>, List<String>> needed(List<ControllerSpec<?>> controllers) {
		Map<ResourceType<?>, List<String>> needed = new LinkedHashMap<>();
		for (ControllerSpec<?> controller : controllers) {
			for (SecondaryWatch<?> watch : controller.watches()) {
				need(needed, watch.type(), watch.sharded() ? this.controlled : READ);
			}
			need(needed, controller.type(), (controller.cleanUp() != null) ? READ_AND_PATCH : this.main);
		}
		return needed;
	}

	/* The longer list has all that the shorter one has. */
	private static void need(Map<ResourceType<?>, List<String>> needed, ResourceType<?> type, List<String> verbs) {
		needed.merge(type, verbs, (one, other) -> (one.size() < other.size()) ? other : one);
	}

	private void requireServed(ResourceType<?> type) {
		try {
			this.requests.call(ApiRequest.of("GET", type.path("", null))
				.query("limit", "1")
				.timeout(RingCheck.TIMEOUT)
				.exempted());
		}
		catch (ApiException ex) {
			if (ex.status() == 404) {
				throw new ShardingStartupException("The API server does not know the resource %s".formatted(type),
						"Install its CustomResourceDefinition, with this version served, or have the application wait with"
								+ " 'sharding.on-startup-problem=wait'.",
						ex);
			}
			if (ex.status() != 403) {
				throw ex;
			}
		}
	}

	/**
	 * Tells of CustomResourceDefinitions that are older than their classes, where the
	 * application starts all the same: nothing else would, as the API server drops what
	 * it does not know without a word.
	 * @param controllers the controllers
	 */
	void warnOfOlderSchemas(List<ControllerSpec<?>> controllers) {
		needed(controllers).keySet()
			.stream()
			.map(this::olderThanClass)
			.filter(Objects::nonNull)
			.forEach((problem) -> logger.warn("{}. {}", problem.description(), problem.action()));
	}

	private void requireSchema(ResourceType<?> type) {
		ShardingStartupException problem = olderThanClass(type);
		if (problem != null) {
			throw problem;
		}
	}

	/*
	 * Whoever may not see the schema, or sees it before the API server has published it,
	 * cannot tell.
	 */
	private @Nullable ShardingStartupException olderThanClass(ResourceType<?> type) {
		if (!CustomResource.class.isAssignableFrom(type.javaType())) {
			return null;
		}
		Map<?, ?> openApi;
		try {
			openApi = this.client.getKubernetesSerialization()
				.unmarshal(this.requests.call(
						ApiRequest.of("GET", "/openapi/v3" + type.versionPath()).timeout(RingCheck.TIMEOUT).exempted())
					.stream(), Map.class);
		}
		catch (ApiException ex) {
			logger.debug("Failed to look at the schema of {}: {}", type, ex.getMessage());
			return null;
		}
		Set<String> gaps = SchemaGaps.of(type, openApi);
		return gaps.isEmpty() ? null : new ShardingStartupException(
				"The CustomResourceDefinition of %s is older than %s: it does not know %s, and the API server drops"
					.formatted(type, type.javaType().getName(), String.join(", ", gaps)) + " what it does not know",
				"Install the CustomResourceDefinition that belongs to the class (fabric8's crd-generator makes it in"
						+ " META-INF/fabric8), or mark fields that are not to be stored with @JsonIgnore.",
				null);
	}

	private List<String> missing(String group, String resource, List<String> verbs, Set<String> where) {
		List<String> missing = new ArrayList<>();
		for (String namespace : where) {
			for (String verb : verbs) {
				if (!isAllowed(group, resource, verb, namespace, "")) {
					missing.add("%s %s%s %s".formatted(verb, resource, group.isEmpty() ? "" : "." + group,
							namespace.isEmpty() ? "in all namespaces" : "in namespace '" + namespace + "'"));
				}
			}
		}
		return missing;
	}

	private boolean isAllowed(String group, String resource, String verb, String namespace, String name) {
		Map<String, Object> review = Map
			.of("apiVersion", "authorization.k8s.io/v1", "kind", "SelfSubjectAccessReview", "spec", Map.of(
					"resourceAttributes",
					Map.of("group", group, "resource", resource, "verb", verb, "namespace", namespace, "name", name)));
		String body = this.client.getKubernetesSerialization().asJson(review);
		GenericKubernetesResource answer = this.client.getKubernetesSerialization()
			.unmarshal(this.requests
				.call(ApiRequest.of("POST", REVIEWS, "application/json", body).timeout(RingCheck.TIMEOUT).exempted())
				.stream(), GenericKubernetesResource.class);
		return Boolean.TRUE.equals(answer.get("status", "allowed"));
	}

}
