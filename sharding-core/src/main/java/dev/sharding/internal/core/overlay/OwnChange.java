package dev.sharding.internal.core.overlay;

import org.jspecify.annotations.Nullable;

/**
 * What a write without an optimistic lock sent, as far as an event can be compared with
 * it.
 *
 * @param <T> the object
 */
@FunctionalInterface
public interface OwnChange<T> {

	/**
	 * Tells whether all that differs between the two states, the bookkeeping of the API
	 * server aside (resource version, generation, managed fields, time stamps), is what
	 * the write sent. In doubt the answer is {@code false}: the event is then delivered.
	 * @param before the state before the event, or {@code null} if there was none
	 * @param after the state after the event
	 */
	boolean explains(@Nullable T before, T after);

	/**
	 * A change that explains nothing: each event is delivered.
	 */
	static <T> OwnChange<T> unknown() {
		return (before, after) -> false;
	}

}
