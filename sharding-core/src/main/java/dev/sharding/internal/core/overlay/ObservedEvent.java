package dev.sharding.internal.core.overlay;

import org.jspecify.annotations.Nullable;

/**
 * A change that the informer saw. Events of one key come in version order; outside a
 * relist all events of a feed do.
 *
 * @param <T> the object
 */
public sealed interface ObservedEvent<T> {

	/**
	 * Returns the state that the event brings; for a removal the last one, with the
	 * resource version of the removal as the API server sends it.
	 */
	T object();

	/**
	 * Returns the state that the informer held before, or {@code null} if it had none.
	 */
	@Nullable T before();

	/**
	 * The object appeared in the scope.
	 *
	 * @param object the state
	 */
	record Added<T>(T object) implements ObservedEvent<T> {

		@Override
		public @Nullable T before() {
			return null;
		}

	}

	/**
	 * The object changed.
	 *
	 * @param before the state that the informer held
	 * @param object the state now
	 */
	record Updated<T>(T before, T object) implements ObservedEvent<T> {
	}

	/**
	 * The object was deleted, or left the scope: a watch does not tell which.
	 *
	 * @param object the last state
	 * @param finalStateUnknown whether a relist found the object missing; the version of
	 * {@code object} is then an older one
	 */
	record Removed<T>(T object, boolean finalStateUnknown) implements ObservedEvent<T> {

		@Override
		public T before() {
			return this.object;
		}

	}

}
