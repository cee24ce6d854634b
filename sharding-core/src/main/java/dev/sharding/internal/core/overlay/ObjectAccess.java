package dev.sharding.internal.core.overlay;

import org.jspecify.annotations.Nullable;

/**
 * What the overlay must know of an object. Implementations are pure.
 *
 * @param <K> the key: namespace and name
 * @param <T> the object
 */
public interface ObjectAccess<K, T> {

	/**
	 * Returns the key of {@code object}.
	 */
	K key(T object);

	/**
	 * Returns {@code metadata.uid}, which tells two objects of the same name apart.
	 */
	String uid(T object);

	/**
	 * Returns {@code metadata.resourceVersion}, or {@code null} if the object has none.
	 */
	@Nullable String version(T object);

	/**
	 * Tells whether {@code object}, the answer to an update or a delete, goes on to
	 * exist: {@code false} if it is being deleted and nothing holds it any more, neither
	 * a finalizer nor a grace period. Such an answer shows the end of an object: the
	 * removal of its last finalizer is answered so, too. Not asked of what was read.
	 */
	boolean exists(T object);

	/**
	 * Tells whether the feed's list/watch would show {@code object}: namespace and
	 * selectors match.
	 */
	boolean inScope(T object);

}
