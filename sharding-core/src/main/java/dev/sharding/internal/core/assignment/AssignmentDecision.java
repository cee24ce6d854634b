package dev.sharding.internal.core.assignment;

import org.jspecify.annotations.Nullable;

/**
 * What the sharder does with an object.
 */
public sealed interface AssignmentDecision {

	/**
	 * Decides what to do with an object (protocol section 4). An available shard gives up
	 * a main object by itself, by a drain; an object of an unavailable shard is moved at
	 * once; a controlled object waits until nobody has a claim on its main object. In a
	 * ring that is paused, a main object stays with an available shard, and so does what
	 * it controls. It also stays with a shard that settles, and with one that nobody
	 * holds at the moment: there is nobody to ask.
	 * @param facts what is known of the object
	 * @return keep, assign, move, drain or wait
	 */
	static AssignmentDecision of(AssignmentFacts facts) {
		if (facts.key() == null) {
			return new Keep();
		}
		String desired = facts.ring().shardFor(facts.key());
		if (desired == null) {
			return new Wait(WaitReason.NO_AVAILABLE_SHARD);
		}
		String current = facts.currentShard();
		if (desired.equals(current)) {
			return new Keep();
		}
		boolean owned = current != null && facts.ring().shards().contains(current);
		WaitReason stays = (owned && facts.role() == ResourceRole.MAIN) ? stays(facts, String.valueOf(current)) : null;
		if (stays != null) {
			return new Wait(stays);
		}
		WaitReason reason = (facts.role() == ResourceRole.MAIN) ? mainWaits(facts, owned) : controlledWaits(facts);
		if (reason != null) {
			return new Wait(reason);
		}
		if (owned && facts.role() == ResourceRole.MAIN) {
			return new Drain();
		}
		return (current != null) ? new Move(desired) : new Assign(desired);
	}

	private static @Nullable WaitReason stays(AssignmentFacts facts, String owner) {
		if (facts.givenBack().contains(owner)) {
			return WaitReason.GIVEN_BACK;
		}
		if (facts.ring().settling().contains(owner)) {
			return WaitReason.SETTLING;
		}
		return facts.paused() ? WaitReason.PAUSED : null;
	}

	private static @Nullable WaitReason mainWaits(AssignmentFacts facts, boolean owned) {
		return switch (facts.handOver()) {
			case CLAIM_LIVE -> WaitReason.CLAIM_LIVE;
			case CLAIM_ENDED -> owned ? whileDraining(facts) : WaitReason.CONTROLLED_OBJECTS_FIRST;
			case NONE, CONTROLLED_OBJECTS_MOVED -> owned ? whileDraining(facts) : null;
		};
	}

	private static @Nullable WaitReason whileDraining(AssignmentFacts facts) {
		return facts.isDrainRequested() ? WaitReason.CLAIM_LIVE : null;
	}

	private static @Nullable WaitReason controlledWaits(AssignmentFacts facts) {
		return (facts.handOver() == HandOver.CLAIM_LIVE) ? WaitReason.CLAIM_LIVE : null;
	}

	/**
	 * The object is where it belongs, or it is not sharded.
	 */
	record Keep() implements AssignmentDecision {
	}

	/**
	 * Nobody owns the object: put the label of the shard on.
	 *
	 * @param shard the shard that gets it
	 */
	record Assign(String shard) implements AssignmentDecision {
	}

	/**
	 * The shard that the object is assigned to has no claim on it: put the label of
	 * another shard on.
	 *
	 * @param shard the shard that gets it
	 */
	record Move(String shard) implements AssignmentDecision {
	}

	/**
	 * An available shard owns the object: ask it to let go.
	 */
	record Drain() implements AssignmentDecision {
	}

	/**
	 * The object must change hands, but not yet.
	 *
	 * @param reason what it waits for
	 */
	record Wait(WaitReason reason) implements AssignmentDecision {
	}

	/**
	 * What an object waits for.
	 */
	enum WaitReason {

		/** No shard is available. */
		NO_AVAILABLE_SHARD,

		/** The owner of the main object has not let go of it yet. */
		CLAIM_LIVE,

		/** The controlled objects get their new label before the main object. */
		CONTROLLED_OBJECTS_FIRST,

		/** The ring is paused, and an available shard owns the main object. */
		PAUSED,

		/** The shard that owns the main object came lately, and others may follow it. */
		SETTLING,

		/**
		 * The Lease of the shard that owns the main object was given back: its next
		 * holder is asked, or the sharder takes it when it has waited for long enough.
		 */
		GIVEN_BACK

	}

}
