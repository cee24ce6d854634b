package dev.sharding.sharder.assignment;

import dev.sharding.kubernetes.rest.ApiException;
import org.jspecify.annotations.Nullable;

/**
 * What became of the attempt to put an object where it belongs.
 *
 * @param outcome how it ended
 * @param object the object as it was seen last
 * @param failure why it failed, otherwise {@code null}
 */
record Placement(Outcome outcome, ShardedObject object, @Nullable ApiException failure) {

	static Placement of(Outcome outcome, ShardedObject object) {
		return new Placement(outcome, object, null);
	}

	/**
	 * How an attempt ends.
	 */
	enum Outcome {

		/** There was nothing to do (any more). */
		SETTLED,

		/** The API server took the patch. */
		PATCHED,

		/** There is no such object any more. */
		GONE,

		/** The attempt was given up for a newer pass. */
		DROPPED,

		/** The API server refused for good. */
		FAILED

	}

}
