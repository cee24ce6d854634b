package dev.sharding.internal.sharder.activity;

import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to an object.
 *
 * @param number greater than that of all earlier actions in the ring, of this leader
 * @param at when the leader knew of it
 * @param kind what it was
 * @param object to which object
 * @param from the shard that had it, {@code null} if none did
 * @param to the shard that has it now, {@code null} if none does
 */
public record Action(long number, Instant at, Kind kind, ObjectRef object, @Nullable String from, @Nullable String to) {

	/**
	 * What can happen.
	 */
	public enum Kind {

		/** It had no owner and has one now. */
		ASSIGNED,

		/** It went from one shard to another, as the first one is gone. */
		MOVED,

		/** Its owner was asked to let go of it. */
		ASKED,

		/** Its owner has let go of it, or it is gone. */
		LET_GO;

		/**
		 * Returns how it is called for people and programs.
		 * @return small letters
		 */
		public String label() {
			return name().toLowerCase(Locale.ROOT).replace('_', ' ');
		}

	}

}
