package dev.sharding.internal.core.lease;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What a shard that does not hold its Lease does to get it.
 */
public sealed interface AcquisitionDecision {

	/**
	 * Decides whether the Lease may be acquired. A Lease under our own name but with
	 * another instance id, or with none, is held by somebody else: a former process of
	 * this name that may still be at work, or a second one. Whoever had its holder taken
	 * off by hand may not have noticed yet. Nor does anybody notice that its duration was
	 * made shorter by hand, so no wait is shorter than the duration of our own.
	 * @param shard the process that wants the Lease
	 * @param own the duration that it writes itself
	 * @param seen what it has seen of the Lease, or {@code null} if there is none
	 * @param now the current moment
	 * @return create, take over, wait or duplicate
	 */
	static AcquisitionDecision of(ShardIdentity shard, Duration own, @Nullable LeaseObservation seen, Moment now) {
		if (seen == null) {
			return new Create();
		}
		LeaseRecord lease = seen.lease();
		if (isFree(shard, lease)) {
			return new TakeOver();
		}
		if (lease.isHeldByItself() && seen.moved()) {
			return new Duplicate(lease.instanceId());
		}
		Duration left = acts(lease, own, now).minus(seen.unchangedFor(now));
		return (left.isZero() || left.isNegative()) ? new TakeOver() : new Wait(left);
	}

	/**
	 * Decides whether a Lease that is not there may be created. If it was seen in the
	 * hands of somebody else, that one may not have noticed yet that it is gone, and may
	 * have renewed it unseen until just before. If it was never seen, anybody may have
	 * held it until then.
	 * @param shard the process that wants the Lease
	 * @param own the duration that it writes itself
	 * @param last what it has seen of the Lease before it was gone, or {@code null} if it
	 * never saw it
	 * @param absentSince when it was first told that there is none
	 * @param inUse whether somebody else may have held it if it was never seen
	 * @param now the current moment
	 * @return create or wait
	 */
	static AcquisitionDecision ofAbsent(ShardIdentity shard, Duration own, @Nullable LeaseObservation last,
			Moment absentSince, boolean inUse, Moment now) {
		if ((last != null) ? isFree(shard, last.lease()) : !inUse) {
			return new Create();
		}
		Duration acts = (last != null) ? acts(last.lease(), own, now) : own;
		Duration left = acts.minus(now.observedSince(absentSince));
		return (left.isZero() || left.isNegative()) ? new Create() : new Wait(left);
	}

	/* For how long somebody may act who has just renewed the Lease. */
	private static Duration acts(LeaseRecord lease, Duration own, Moment now) {
		Duration says = LeaseTimes.of(lease, now.wall()).leaseDuration();
		return (says.compareTo(own) > 0) ? says : own;
	}

	/* Whether nobody but this process can be at work with the Lease. */
	private static boolean isFree(ShardIdentity shard, LeaseRecord lease) {
		if (!lease.isReleased()) {
			return shard.holds(lease);
		}
		// Somebody may have emptied it by hand: what our shards wrote beside the times
		// stays.
		boolean neverHeld = lease.renewTime() == null && lease.instanceId() == null;
		return neverHeld || ShardClaim.isGivenBack(lease) || shard.instanceId().equals(lease.instanceId());
	}

	/**
	 * There is no Lease: create it.
	 */
	record Create() implements AcquisitionDecision {
	}

	/**
	 * Nobody is at work with the Lease: update it.
	 */
	record TakeOver() implements AcquisitionDecision {
	}

	/**
	 * Somebody may be at work with the Lease: look again.
	 *
	 * @param delay the time after which to look again at the latest, positive; sooner
	 * looks find a release sooner
	 */
	record Wait(Duration delay) implements AcquisitionDecision {
	}

	/**
	 * Another process of this shard name is alive: fail by name.
	 *
	 * @param instanceId its instance id, or {@code null} if it is no shard of ours
	 */
	record Duplicate(@Nullable String instanceId) implements AcquisitionDecision {
	}

}
