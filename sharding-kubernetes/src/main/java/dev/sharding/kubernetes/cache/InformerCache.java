package dev.sharding.kubernetes.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.informer.StoreView;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;

/**
 * The cache of one resource over the store of its informer. Reads are those of the
 * informer, whatever the freshness: nothing of our own writes is laid over them yet.
 */
final class InformerCache<T extends HasMetadata> implements ResourceCache<T> {

	private final ResourceType<T> type;

	private final Supplier<StoreView<T>> store;

	private final ResourceWriter<T> writer;

	private final ObjectCopier copier;

	private final ShardingStamp stamp;

	InformerCache(ResourceType<T> type, Supplier<StoreView<T>> store, ResourceWriter<T> writer, ObjectCopier copier,
			ShardingStamp stamp) {
		this.type = type;
		this.store = store;
		this.writer = writer;
		this.copier = copier;
		this.stamp = stamp;
	}

	@Override
	public Optional<T> get(ObjectKey key, Freshness freshness) {
		T object = this.store.get().get(key);
		return (object != null) ? Optional.of(this.copier.copy(object)) : Optional.empty();
	}

	@Override
	public List<T> list(ListOptions options) {
		Collection<T> all = (options.namespace() != null) ? this.store.get().list(options.namespace())
				: this.store.get().list();
		List<T> selected = new ArrayList<>(all.size());
		for (T object : all) {
			if (options.selects(object)) {
				selected.add(options.shared() ? object : this.copier.copy(object));
			}
		}
		return selected;
	}

	@Override
	public List<T> byIndex(String index, String value, Freshness freshness) {
		Collection<T> found = this.store.get().byIndex(index, value);
		List<T> copies = new ArrayList<>(found.size());
		for (T object : found) {
			copies.add(this.copier.copy(object));
		}
		return copies;
	}

	@Override
	public T create(T object) {
		T outgoing = this.copier.copy(object);
		this.stamp.onCreate(outgoing);
		return this.writer.create(outgoing);
	}

	@Override
	public T update(T object) {
		T outgoing = this.copier.copy(object);
		T cached = cached(object);
		this.stamp.onChange(outgoing, cached);
		outgoing.getMetadata().setResourceVersion(versionFor("update", object, cached));
		return this.writer.update(outgoing);
	}

	@Override
	public T updateStatus(T object) {
		T outgoing = this.copier.copy(object);
		outgoing.getMetadata().setResourceVersion(versionFor("update the status of", object, cached(object)));
		return this.writer.updateStatus(outgoing);
	}

	@Override
	public T patch(T object, UnaryOperator<T> change) {
		T wanted = change.apply(this.copier.copy(object));
		this.stamp.onChange(wanted, object);
		String version = versionFor("patch", object, cached(object));
		Map<String, @Nullable Object> patch = MergePatch.between(this.writer.tree(object), this.writer.tree(wanted));
		if (patch.isEmpty()) {
			return this.copier.copy(object);
		}
		Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
		if (patch.get("metadata") instanceof Map<?, ?> changed) {
			changed.forEach((name, value) -> metadata.put((String) name, value));
		}
		metadata.put("resourceVersion", version);
		patch.put("metadata", metadata);
		return this.writer.patch(object, patch);
	}

	@Override
	public T apply(T object) {
		T outgoing = this.copier.copy(object);
		outgoing.getMetadata().setManagedFields(null);
		this.stamp.onChange(outgoing, cached(object));
		return this.writer.apply(outgoing);
	}

	@Override
	public void delete(T object) {
		T outgoing = this.copier.copy(object);
		T cached = cached(object);
		if (outgoing.getMetadata().getResourceVersion() == null && cached != null) {
			outgoing.getMetadata().setResourceVersion(cached.getMetadata().getResourceVersion());
			outgoing.getMetadata().setUid(cached.getMetadata().getUid());
		}
		this.writer.delete(outgoing);
	}

	private @Nullable T cached(T object) {
		return (object.getMetadata().getName() != null) ? this.store.get().get(ObjectKey.of(object)) : null;
	}

	private String versionFor(String operation, T object, @Nullable T cached) {
		String version = object.getMetadata().getResourceVersion();
		if (version == null && cached != null) {
			version = cached.getMetadata().getResourceVersion();
		}
		if (version == null) {
			throw new IllegalArgumentException(
					"Failed to %s %s %s: it has no resource version and is not in the cache; start from an object that a cache returned, or use apply"
						.formatted(operation, this.type, ObjectKey.of(object)));
		}
		return version;
	}

	@Override
	public String toString() {
		return "ResourceCache[" + this.type + "]";
	}

}
