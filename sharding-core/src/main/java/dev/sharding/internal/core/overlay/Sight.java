package dev.sharding.internal.core.overlay;

import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * What a reader sees.
 *
 * @param <K> the key
 * @param <R> the object, or a collection of objects
 */
public sealed interface Sight<K, R> {

	/**
	 * The freshest state that is known here.
	 *
	 * @param result the object, {@code null} if there is none; or the list
	 */
	record Known<K, R>(@Nullable R result) implements Sight<K, R> {
	}

	/**
	 * Nothing here proves what some own writes did: their outcome is unknown, or resource
	 * versions cannot be compared. Ask the API server with a list, which has a version of
	 * its own (a get of an absent object has none), hand the answer to
	 * {@link Overlay#resolved} and read again. If versions cannot be compared, the answer
	 * itself is what the reader gets.
	 *
	 * @param writes the writes in doubt, each with its key, or with an empty one if the
	 * API server was to make up the name; none if no write is in doubt, and only versions
	 * do not compare
	 */
	record AskServer<K, R>(Map<Long, Optional<K>> writes) implements Sight<K, R> {
	}

}
