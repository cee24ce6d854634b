package dev.sharding.internal.sharder.diagnosis;

import java.time.Instant;
import java.util.Set;

import dev.sharding.internal.core.assignment.AssignmentDecision;
import dev.sharding.internal.core.assignment.AssignmentDecision.Assign;
import dev.sharding.internal.core.assignment.AssignmentDecision.Drain;
import dev.sharding.internal.core.assignment.AssignmentDecision.Move;
import dev.sharding.internal.core.assignment.AssignmentFacts;
import dev.sharding.internal.core.assignment.HandOver;
import dev.sharding.internal.core.assignment.HashRing;
import org.jspecify.annotations.Nullable;

/**
 * Tells what is not as it should be with an object of a ring, by the decision that the
 * sharder makes about it. Each of these states is right for a moment: it is trouble if it
 * lasts.
 */
public final class ObjectLaw {

	private ObjectLaw() {
	}

	/**
	 * Decides what the sharder would do about an object that nothing is known of but what
	 * it says.
	 * @param object the object
	 * @param ring the name of the ring
	 * @param shards its hash ring
	 * @param paused whether the ring is paused
	 * @param givenBack the members that nobody holds
	 * @return the decision
	 */
	public static AssignmentDecision decide(ObservedObject object, String ring, HashRing shards, boolean paused,
			Set<String> givenBack) {
		return AssignmentDecision.of(new AssignmentFacts(object.labels(), ring, object.role(), object.key(), shards,
				HandOver.NONE, paused, givenBack));
	}

	/**
	 * Looks at an object.
	 * @param object the object
	 * @param ring the name of the ring
	 * @param shards its hash ring
	 * @param paused whether the ring is paused
	 * @param givenBack the members that nobody holds
	 * @param ownerOfMain the available shard that has the main object, if that has to
	 * change hands: what it controls waits for it
	 * @return what is not as it should be, or {@code null}
	 */
	public static @Nullable Trouble of(ObservedObject object, String ring, HashRing shards, boolean paused,
			Set<String> givenBack, @Nullable String ownerOfMain) {
		AssignmentDecision decision = decide(object, ring, shards, paused, givenBack);
		String owner = object.shard(ring);
		String wanted = (object.key() != null) ? shards.shardFor(object.key()) : null;
		if (decision instanceof Assign) {
			return new Trouble(Kind.NO_OWNER, null, wanted, object.changed());
		}
		if (decision instanceof Move) {
			if (owner == null || !shards.shards().contains(owner)) {
				return new Trouble(Kind.OWNER_GONE, owner, wanted, null);
			}
			return owner.equals(ownerOfMain) ? null : new Trouble(Kind.WRONG_OWNER, owner, wanted, null);
		}
		if (decision instanceof Drain) {
			return new Trouble(Kind.WRONG_OWNER, owner, wanted, null);
		}
		// Also where it should stay: it is not reconciled before its owner has let go.
		if (object.isDraining(ring)) {
			return new Trouble(Kind.DRAINING, owner, wanted, object.drainSince());
		}
		return null;
	}

	/**
	 * What is not as it should be.
	 */
	public enum Kind {

		/** It bears no shard label. */
		NO_OWNER,

		/** The shard that its label names is not available. */
		OWNER_GONE,

		/** An available shard has it that should not, and is not asked to let go. */
		WRONG_OWNER,

		/** Its owner is asked to let go of it. */
		DRAINING

	}

	/**
	 * What is not as it should be with an object.
	 *
	 * @param kind what
	 * @param owner who has it, {@code null} if nobody has
	 * @param wanted who should have it, {@code null} if no shard is available
	 * @param since since when that is so, if the object tells
	 */
	public record Trouble(Kind kind, @Nullable String owner, @Nullable String wanted, @Nullable Instant since) {

		/**
		 * Tells whether two looks have found the same.
		 * @param other what another look has found
		 * @return {@code true} unless it changed in between
		 */
		public boolean isSameAs(Trouble other) {
			return this.kind == other.kind && String.valueOf(this.owner).equals(String.valueOf(other.owner));
		}

	}

}
