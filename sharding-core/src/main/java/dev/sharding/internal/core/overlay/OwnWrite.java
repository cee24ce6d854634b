package dev.sharding.internal.core.overlay;

import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * A write that is about to be sent.
 *
 * @param <K> the key
 * @param <T> the object
 */
public sealed interface OwnWrite<K, T> {

	/**
	 * Returns who writes, equal for equal writers: a reconciler together with the request
	 * it works on. The echo of the write is filtered for this writer only.
	 */
	Object writer();

	/**
	 * Returns the key that is written, or {@code null} if the API server will make up the
	 * name.
	 */
	@Nullable K key();

	/**
	 * Tells whether the write may turn out to be one of the object {@code key}.
	 */
	default boolean mayTarget(K key) {
		return key.equals(key());
	}

	/**
	 * A create: it fails if the object exists, so an answer always stands for a new
	 * object.
	 *
	 * @param writer who writes
	 * @param key the key, or {@code null} with a generated name
	 * @param names the keys that a generated name can get; not asked if {@code key} is
	 * there
	 */
	record Create<K, T>(Object writer, @Nullable K key, Predicate<K> names) implements OwnWrite<K, T> {

		@Override
		public boolean mayTarget(K key) {
			return (this.key != null) ? this.key.equals(key) : this.names.test(key);
		}

	}

	/**
	 * A write of an object that exists (or, for a server-side apply, may exist).
	 *
	 * @param writer who writes
	 * @param key the key
	 * @param baseVersion the resource version that the API server will insist on, or
	 * {@code null} for a write without optimistic lock
	 * @param change what is sent; only asked without a lock
	 */
	record Update<K, T>(Object writer, K key, @Nullable String baseVersion,
			OwnChange<T> change) implements OwnWrite<K, T> {
	}

	/**
	 * A delete.
	 *
	 * @param writer who writes
	 * @param key the key
	 * @param uid the uid that is deleted, or {@code null} if the caller does not know it
	 * @param knownVersion a resource version that the deleted object had, or {@code null}
	 */
	record Delete<K, T>(Object writer, K key, @Nullable String uid,
			@Nullable String knownVersion) implements OwnWrite<K, T> {
	}

}
