package dev.sharding.kubernetes.cache;

import java.util.function.Function;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.informer.Informer;
import dev.sharding.kubernetes.informer.StoreView;
import dev.sharding.kubernetes.resource.ResourceType;

/**
 * Finds the store of a resource once its informer exists, and remembers it: caches can be
 * handed out before it is known what they cover.
 */
final class StoreLookup<T extends HasMetadata> implements Supplier<StoreView<T>> {

	private final ResourceType<T> type;

	private final Function<ResourceType<?>, @Nullable Informer<?>> informers;

	private volatile @Nullable StoreView<T> found;

	StoreLookup(ResourceType<T> type, Function<ResourceType<?>, @Nullable Informer<?>> informers) {
		this.type = type;
		this.informers = informers;
	}

	@Override
	@SuppressWarnings("unchecked")
	public StoreView<T> get() {
		StoreView<T> store = this.found;
		if (store == null) {
			Informer<?> informer = this.informers.apply(this.type);
			if (informer == null) {
				throw new IllegalStateException(
						"The cache of %s cannot be read yet: it fills when the application starts"
							.formatted(this.type));
			}
			store = (StoreView<T>) informer.store();
			this.found = store;
		}
		return store;
	}

}
