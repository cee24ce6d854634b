package dev.sharding.kubernetes.informer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import dev.sharding.kubernetes.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * Files keys under values of their objects. Guarded by the store's lock.
 *
 * @param <T> the class of the objects
 */
final class Index<T extends HasMetadata> {

	private final Function<T, Collection<String>> values;

	private final Map<String, Set<ObjectKey>> keys = new HashMap<>();

	Index(Function<T, Collection<String>> values) {
		this.values = values;
	}

	void add(ObjectKey key, T object) {
		for (String value : this.values.apply(object)) {
			this.keys.computeIfAbsent(value, (absent) -> new HashSet<>(2)).add(key);
		}
	}

	void remove(ObjectKey key, T object) {
		for (String value : this.values.apply(object)) {
			Set<ObjectKey> filed = this.keys.get(value);
			if (filed != null && filed.remove(key) && filed.isEmpty()) {
				this.keys.remove(value);
			}
		}
	}

	List<ObjectKey> get(String value) {
		Set<ObjectKey> filed = this.keys.get(value);
		return (filed != null) ? new ArrayList<>(filed) : List.of();
	}

}
