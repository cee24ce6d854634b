package dev.sharding.internal.kubernetes.informer.store;

import java.util.List;

import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

/**
 * What can be read from a store. The objects are shared: do not change them.
 *
 * @param <T> the class of the objects
 */
public interface StoreView<T extends HasMetadata> {

	/**
	 * Finds one object.
	 * @param key its key
	 * @return the object, or {@code null} if the scope holds none
	 */
	@Nullable T get(ObjectKey key);

	/**
	 * What the informer has, without writes of this process. Its reads ask nobody.
	 * @return a view of the same scope
	 */
	default StoreView<T> plain() {
		return this;
	}

	/**
	 * All objects.
	 * @return a new list in no particular order
	 */
	List<T> list();

	/**
	 * The objects of a namespace.
	 * @param namespace the namespace
	 * @return a new list in no particular order
	 */
	List<T> list(String namespace);

	/**
	 * The objects that an index files under a value.
	 * @param index the name of the index
	 * @param value the value
	 * @return a new list in no particular order
	 * @throws IllegalArgumentException if there is no such index
	 */
	List<T> byIndex(String index, String value);

	/**
	 * How many objects there are.
	 * @return the number
	 */
	int size();

	/**
	 * What is known of an object that does not fit its class as it is now. Other reads
	 * show its last state that did, or nothing.
	 * @param key its key
	 * @return its metadata, or {@code null} if it fits, or if the scope holds none
	 */
	default @Nullable ObjectMeta undecodable(ObjectKey key) {
		return null;
	}

	/**
	 * The metadata of an object, whether or not it fits its class.
	 * @param key its key
	 * @return its metadata, or {@code null} if the scope holds none
	 */
	default @Nullable ObjectMeta metadata(ObjectKey key) {
		ObjectMeta unfit = undecodable(key);
		T object = (unfit == null) ? get(key) : null;
		return (object != null) ? object.getMetadata() : unfit;
	}

	/**
	 * The objects that do not fit their class as they are now.
	 * @return a new list of their metadata
	 */
	default List<ObjectMeta> undecodable() {
		return List.of();
	}

	/**
	 * The version up to which everything that happened in the scope is in here. What is
	 * newer may be, too.
	 * @return the resource version, over several namespaces the oldest of theirs, or
	 * {@code null} as long as one of them was never listed
	 */
	@Nullable String watermark();

	/**
	 * The same for the part of the scope that holds a namespace.
	 * @param namespace the namespace
	 * @return the resource version, or {@code null} if that part was never listed or the
	 * namespace is not in the scope
	 */
	@Nullable String watermark(String namespace);

}
