package dev.sharding.internal.kubernetes.reconcile;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.internal.kubernetes.cache.read.ControllerOwner;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Finds the main object that controls an object. Needs nothing but metadata.
 *
 * @param <S> the class of the object
 * @param main the main resource
 */
public record OwnerMapper<S extends HasMetadata>(ResourceType<?> main) implements Function<S, Collection<ObjectKey>> {

	@Override
	public Collection<ObjectKey> apply(S object) {
		return ownersOf(object);
	}

	Collection<ObjectKey> ownersOf(HasMetadata object) {
		ObjectKey owner = ControllerOwner.key(object, this.main);
		return (owner != null) ? List.of(owner) : List.of();
	}

}
