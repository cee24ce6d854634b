package dev.sharding.internal.kubernetes.cache;

import java.lang.ref.WeakReference;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.CacheNotFilledException;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.resource.ResourceType;

/**
 * Finds the store of a resource once its informer exists, and remembers it: caches can be
 * handed out before it is known what they cover.
 */
final class StoreLookup<T extends HasMetadata> implements Supplier<OverlaidStore<T>> {

	private final ResourceType<T> type;

	private final Stores stores;

	private volatile @Nullable Found<T> found;

	StoreLookup(ResourceType<T> type, Stores stores) {
		this.type = type;
		this.stores = stores;
	}

	@Override
	public OverlaidStore<T> get() {
		this.stores.requireTerm(this.type);
		OverlaidStore<T> store = find();
		if (store == null) {
			throw this.stores.missing(this.type);
		}
		return store;
	}

	/** The store, or {@code null} as long as there is none. */
	@SuppressWarnings("unchecked")
	@Nullable OverlaidStore<T> find() {
		long generation = this.stores.generation();
		Found<T> known = this.found;
		OverlaidStore<T> held = (known != null && known.generation() == generation) ? known.store().get() : null;
		if (held != null) {
			return held;
		}
		OverlaidStore<T> store = (OverlaidStore<T>) this.stores.find(this.type);
		// Of an older generation than the store, it is looked for once more.
		this.found = (store != null) ? new Found<>(generation, new WeakReference<>(store)) : null;
		return store;
	}

	/** Where stores are found. */
	interface Stores {

		/**
		 * Changes, before anything else does, when others take the place of stores that
		 * were found.
		 */
		long generation();

		/** The store of a resource, or {@code null} as long as there is none. */
		@Nullable OverlaidStore<?> find(ResourceType<?> type);

		/**
		 * Refuses a read that is part of the work of a term that is over, where another
		 * one may be about other objects.
		 */
		void requireTerm(ResourceType<?> type);

		/** Why there is none. */
		CacheNotFilledException missing(ResourceType<?> type);

	}

	/** Keeps no store whose shard has another name by now. */
	private record Found<S extends HasMetadata>(long generation, WeakReference<OverlaidStore<S>> store) {
	}

}
