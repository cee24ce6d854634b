package dev.sharding.internal.core.assignment;

import dev.sharding.internal.core.key.InvalidShardingKeyException;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.core.key.ShardingKeys;
import org.jspecify.annotations.Nullable;

/**
 * What an admission webhook does with an object. It never denies a request: sharding is
 * not the business of whoever writes the object, and what stays without a shard here gets
 * one by the watch or by the next resync.
 */
public sealed interface AdmissionDecision {

	/**
	 * Decides about a request (protocol section 5).
	 * @param facts what is known of the request and of the ring
	 * @return assign or leave
	 */
	static AdmissionDecision of(AdmissionFacts facts) {
		if (facts.isAssigned()) {
			return new Leave(LeaveReason.ALREADY_ASSIGNED, null);
		}
		if (facts.ring() == null) {
			return left(LeaveReason.RING_UNKNOWN, "the ring is not known here", facts);
		}
		if (facts.role() == null) {
			return left(LeaveReason.NOT_IN_RING, "the ring does not list its resource", facts);
		}
		if (facts.watching() && facts.role() == ResourceRole.MAIN && !facts.upToDate()) {
			// The watch brings main objects alone.
			return new Leave(LeaveReason.RING_OLD, null);
		}
		if (mayBeHandedOver(facts)) {
			return new Leave(LeaveReason.HAND_OVER, null);
		}
		ShardingKey key;
		try {
			key = (facts.role() == ResourceRole.MAIN) ? ShardingKeys.ofMain(facts.object())
					: ShardingKeys.ofControlled(facts.object());
		}
		catch (InvalidShardingKeyException ex) {
			return left(LeaveReason.NO_KEY, ex.reason().text(), facts);
		}
		if (key == null) {
			return new Leave(LeaveReason.NOT_SHARDED, null);
		}
		String shard = facts.ring().shardFor(key);
		if (shard == null) {
			return left(LeaveReason.NO_AVAILABLE_SHARD, "no shard is available", facts);
		}
		return new Assign(shard,
				facts.isFirst() ? AdmissionPatch.assignFirst(facts.ringName(), shard, facts.hasLabels())
						: AdmissionPatch.assign(facts.ringName(), shard, facts.hasLabels()));
	}

	/*
	 * Its owner may have just let go of it: by this write, or by one before which this
	 * one of somebody else follows. The controlled objects get their new label first,
	 * which the watch sees to.
	 */
	private static boolean mayBeHandedOver(AdmissionFacts facts) {
		return facts.watching() && !facts.creating() && facts.hasControlled() && facts.role() == ResourceRole.MAIN;
	}

	/* With a watch, it takes a moment only and nobody needs to know. */
	private static AdmissionDecision left(LeaveReason reason, String text, AdmissionFacts facts) {
		return new Leave(reason,
				facts.watching() ? null : "ControllerRing %s: object is not assigned to a shard at admission: %s"
					.formatted(facts.ringName(), text));
	}

	/**
	 * The object gets a shard.
	 *
	 * @param shard the name of the shard
	 * @param patch the JSON patch that puts its label on
	 */
	record Assign(String shard, String patch) implements AdmissionDecision {
	}

	/**
	 * The object is admitted as it is.
	 *
	 * @param reason why
	 * @param warning what the writer of the object should know, or {@code null}
	 */
	record Leave(LeaveReason reason, @Nullable String warning) implements AdmissionDecision {
	}

	/**
	 * Why an object is admitted as it is.
	 */
	enum LeaveReason {

		/** It has a shard. */
		ALREADY_ASSIGNED,

		/** The ring does not exist, or its shards are not known yet. */
		RING_UNKNOWN,

		/**
		 * What is known of its shards may be of the past, and a watch brings the object.
		 */
		RING_OLD,

		/** The ring does not list the resource, any more or not yet. */
		NOT_IN_RING,

		/** A controlled object without a controller. */
		NOT_SHARDED,

		/** The object cannot be hashed, for example because it has no name yet. */
		NO_KEY,

		/** There is nobody to assign it to. */
		NO_AVAILABLE_SHARD,

		/** It is not new, and so may be on its way from one shard to another. */
		HAND_OVER

	}

}
