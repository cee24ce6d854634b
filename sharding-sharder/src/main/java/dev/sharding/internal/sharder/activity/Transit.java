package dev.sharding.internal.sharder.activity;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * An object that is not, or not only, where it belongs.
 *
 * @param object the object
 * @param kind in which way
 * @param owner the shard that its label names, {@code null} if none
 * @param since when the leader saw it so first
 */
public record Transit(ObjectRef object, Kind kind, @Nullable String owner, Instant since) {

	/**
	 * The ways.
	 */
	public enum Kind {

		/** Its owner was asked to let go of it. */
		DRAINING,

		/** No available shard owns it. */
		UNOWNED

	}

}
