package dev.sharding.kubernetes.cache;

import java.util.function.Function;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.resource.ResourceType;

/**
 * Finds the store of a resource once its informer exists, and remembers it: caches can be
 * handed out before it is known what they cover.
 */
final class StoreLookup<T extends HasMetadata> implements Supplier<OverlaidStore<T>> {

	private final ResourceType<T> type;

	private final Function<ResourceType<?>, @Nullable OverlaidStore<?>> stores;

	private volatile @Nullable OverlaidStore<T> found;

	StoreLookup(ResourceType<T> type, Function<ResourceType<?>, @Nullable OverlaidStore<?>> stores) {
		this.type = type;
		this.stores = stores;
	}

	@Override
	public OverlaidStore<T> get() {
		OverlaidStore<T> store = find();
		if (store == null) {
			throw FirstList.notStarted(this.type);
		}
		return store;
	}

	/** The store, or {@code null} as long as there is none. */
	@SuppressWarnings("unchecked")
	@Nullable OverlaidStore<T> find() {
		OverlaidStore<T> store = this.found;
		if (store == null) {
			store = (OverlaidStore<T>) this.stores.apply(this.type);
			this.found = store;
		}
		return store;
	}

}
