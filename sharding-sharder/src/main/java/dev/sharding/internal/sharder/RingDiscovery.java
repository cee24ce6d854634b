package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.kubernetes.resource.ResourceAbsentException;
import dev.sharding.internal.kubernetes.resource.ResourceDiscovery;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;

/**
 * Finds out how the API server serves the resources of a ring. A resource that it does
 * not serve is left out and named, the rest is found. Where the API server does not
 * answer, it is asked again for some seconds before the resource is left out.
 */
final class RingDiscovery {

	/*
	 * A ring that begins without a controlled resource leaves its objects behind when
	 * main objects move. And leaders change just when the API server does not answer for
	 * some seconds.
	 */
	private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

	private static final Duration LAST_PAUSE = Duration.ofSeconds(4);

	private final ResourceDiscovery discovery;

	RingDiscovery(ResourceDiscovery discovery) {
		this.discovery = discovery;
	}

	CompletableFuture<Found> find(ControllerRingSpec spec) {
		Set<GroupResource> main = new LinkedHashSet<>();
		Set<GroupResource> all = listed(spec);
		spec.resources().forEach((resource) -> main.add(new GroupResource(resource.group(), resource.resource())));
		Map<GroupResource, ResourceType<GenericKubernetesResource>> types = new ConcurrentHashMap<>();
		Map<String, String> absent = new ConcurrentHashMap<>();
		AtomicBoolean unanswered = new AtomicBoolean();
		return CompletableFuture
			.allOf(all.stream().map((wanted) -> find(wanted, FIRST_PAUSE).handle((type, failure) -> {
				if (failure == null) {
					types.put(wanted, type);
				}
				else {
					absent.put(wanted.toString(), String.valueOf(cause(failure).getMessage()));
					if (!(cause(failure) instanceof ResourceAbsentException)) {
						unanswered.set(true);
					}
				}
				return null;
			})).toArray(CompletableFuture[]::new))
			.thenApply((done) -> new Found(resources(spec, main, types), new TreeMap<>(absent),
					main.stream()
						.filter((wanted) -> !types.containsKey(wanted))
						.map(GroupResource::group)
						.collect(Collectors.toUnmodifiableSet()),
					unanswered.get()));
	}

	private CompletableFuture<ResourceType<GenericKubernetesResource>> find(GroupResource wanted, Duration pause) {
		return this.discovery.find(wanted).exceptionallyCompose((failure) -> {
			if (cause(failure) instanceof ResourceAbsentException || pause.compareTo(LAST_PAUSE) > 0) {
				return CompletableFuture.failedFuture(cause(failure));
			}
			Executor later = CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS);
			return CompletableFuture.runAsync(() -> {
			}, later).thenCompose((waited) -> find(wanted, pause.multipliedBy(2)));
		});
	}

	/** All resources that a ring lists, the main ones first. */
	static Set<GroupResource> listed(ControllerRingSpec spec) {
		Set<GroupResource> all = new LinkedHashSet<>();
		spec.resources().forEach((resource) -> all.add(new GroupResource(resource.group(), resource.resource())));
		spec.resources()
			.forEach((resource) -> resource.controlledResources()
				.forEach((controlled) -> all.add(new GroupResource(controlled.group(), controlled.resource()))));
		return all;
	}

	private static Map<ShardedResource, List<ShardedResource>> resources(ControllerRingSpec spec,
			Set<GroupResource> main, Map<GroupResource, ResourceType<GenericKubernetesResource>> types) {
		Map<ShardedResource, List<ShardedResource>> resources = new LinkedHashMap<>();
		for (ControllerRingSpec.MainResource listed : spec.resources()) {
			ResourceType<GenericKubernetesResource> type = types
				.get(new GroupResource(listed.group(), listed.resource()));
			if (type == null) {
				continue;
			}
			List<ShardedResource> controlled = new ArrayList<>();
			for (ControllerRingSpec.ControlledResource child : listed.controlledResources()) {
				GroupResource name = new GroupResource(child.group(), child.resource());
				ResourceType<GenericKubernetesResource> childType = types.get(name);
				if (childType != null && !main.contains(name)) {
					controlled.add(new ShardedResource(childType.metadata(), ResourceRole.CONTROLLED));
				}
			}
			resources.put(new ShardedResource(type.metadata(), ResourceRole.MAIN), controlled);
		}
		return resources;
	}

	private static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * What was found.
	 *
	 * @param resources each main resource with its controlled resources
	 * @param absent the resources that were not found, with the reason
	 * @param unknownGroups the groups of those of them that are main resources
	 * @param unanswered whether some of these may be served nevertheless, as the API
	 * server could not be asked
	 */
	record Found(Map<ShardedResource, List<ShardedResource>> resources, Map<String, String> absent,
			Set<String> unknownGroups, boolean unanswered) {

		Found without(String what, String reason) {
			Map<String, String> all = new TreeMap<>(this.absent);
			all.put(what, reason);
			return new Found(this.resources, all, this.unknownGroups, true);
		}

	}

}
