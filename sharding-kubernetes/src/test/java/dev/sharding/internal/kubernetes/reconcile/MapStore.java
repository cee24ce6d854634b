package dev.sharding.internal.kubernetes.reconcile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.resource.ObjectKey;

/**
 * A store that tests fill by hand.
 */
final class MapStore<T extends HasMetadata> implements StoreView<T> {

	private final Map<ObjectKey, T> objects = new ConcurrentHashMap<>();

	private final Map<ObjectKey, ObjectMeta> undecodable = new ConcurrentHashMap<>();

	void put(T object) {
		this.objects.put(ObjectKey.of(object), object);
	}

	/** The object does not fit its class any more. */
	void putUndecodable(ObjectMeta metadata) {
		this.undecodable.put(ObjectKey.of(metadata), metadata);
	}

	@Override
	public @Nullable ObjectMeta undecodable(ObjectKey key) {
		return this.undecodable.get(key);
	}

	@Override
	public List<ObjectMeta> undecodable() {
		return new ArrayList<>(this.undecodable.values());
	}

	void remove(ObjectKey key) {
		this.objects.remove(key);
		this.undecodable.remove(key);
	}

	@Override
	public @Nullable T get(ObjectKey key) {
		return this.objects.get(key);
	}

	@Override
	public List<T> list() {
		return new ArrayList<>(this.objects.values());
	}

	@Override
	public List<T> list(String namespace) {
		return list().stream().filter((object) -> namespace.equals(object.getMetadata().getNamespace())).toList();
	}

	@Override
	public List<T> byIndex(String index, String value) {
		throw new IllegalArgumentException("No index '%s'".formatted(index));
	}

	@Override
	public int size() {
		return this.objects.size();
	}

	@Override
	public @Nullable String watermark() {
		return null;
	}

	@Override
	public @Nullable String watermark(String namespace) {
		return null;
	}

}
