package dev.sharding.controller;

import java.util.Collection;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.internal.kubernetes.reconcile.OwnerMapper;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Another resource whose events lead to reconciles of main objects.
 *
 * @param <S> the other resource
 * @param type the other resource
 * @param sharded whether only objects with the shard's label are watched, otherwise all
 * @param mapper finds the main objects that an object concerns; one that takes long holds
 * up its controller, one that throws is asked again; it must not modify the object
 */
public record SecondaryWatch<S extends HasMetadata>(ResourceType<S> type, boolean sharded,
		Function<S, Collection<ObjectKey>> mapper) {

	static <S extends HasMetadata> SecondaryWatch<S> owned(ResourceType<S> type, ResourceType<?> main) {
		return new SecondaryWatch<>(type, true, new OwnerMapper<>(main));
	}

}
