package dev.sharding.internal.kubernetes.informer.store;

import java.util.HashMap;
import java.util.Map;

import dev.sharding.internal.kubernetes.informer.wire.ObjectFacts;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;

/**
 * A whole scope at one version.
 *
 * @param <T> the class of the objects
 * @param objects the objects
 * @param undecodable the metadata of those that do not fit their class
 * @param version the version of the list
 */
record ListResult<T extends HasMetadata>(Map<ObjectKey, T> objects, Map<ObjectKey, ObjectMeta> undecodable,
		String version) {

	static <T extends HasMetadata> ListResult<T> empty() {
		return new ListResult<>(new HashMap<>(), new HashMap<>(), "");
	}

	ListResult<T> at(String other) {
		return new ListResult<>(this.objects, this.undecodable, other);
	}

	void add(T object) {
		ObjectKey key = ObjectKey.of(object);
		this.objects.put(key, object);
		this.undecodable.remove(key);
	}

	void remove(ObjectKey key) {
		this.objects.remove(key);
		this.undecodable.remove(key);
	}

	void skip(ObjectMeta metadata) {
		this.undecodable.put(ObjectFacts.of(metadata).key(), metadata);
	}

	boolean contains(ObjectKey key) {
		return this.objects.containsKey(key) || this.undecodable.containsKey(key);
	}

}
