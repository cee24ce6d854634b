package dev.sharding.internal.sharder.webhook;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.resource.GroupResource;
import org.jspecify.annotations.Nullable;

/**
 * What the webhook must know of a ring to answer.
 *
 * @param resources its resources
 * @param shards the hash ring of its available shards
 * @param silence for how long nothing need be heard of their Leases
 * @param present whether these are the shards of the present, asked each time
 */
record RingView(Map<GroupResource, Listed> resources, HashRing shards, Duration silence, BooleanSupplier present) {

	boolean isOfThePresent() {
		return this.present.getAsBoolean();
	}

	static Map<GroupResource, Listed> resources(ControllerRingSpec spec) {
		Map<GroupResource, Listed> resources = new HashMap<>();
		spec.resources()
			.forEach((main) -> main.controlledResources()
				.forEach((controlled) -> resources.put(new GroupResource(controlled.group(), controlled.resource()),
						new Listed(ResourceRole.CONTROLLED, false))));
		spec.resources()
			.forEach((main) -> resources.put(new GroupResource(main.group(), main.resource()),
					new Listed(ResourceRole.MAIN, !main.controlledResources().isEmpty())));
		return Map.copyOf(resources);
	}

	@Nullable Listed listed(GroupResource resource) {
		return this.resources.get(resource);
	}

	/**
	 * How a ring lists a resource; one that is listed both ways is a main resource.
	 */
	record Listed(ResourceRole role, boolean hasControlled) {
	}

}
