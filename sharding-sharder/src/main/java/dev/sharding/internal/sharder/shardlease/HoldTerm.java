package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

import dev.sharding.internal.core.fence.FenceDecision;
import dev.sharding.internal.core.fence.LeaseGate;
import dev.sharding.internal.core.lease.HoldDecision.Hold;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * One uninterrupted time of holding one Lease. Changed on the thread of the Leases; asked
 * by everybody whether it is valid.
 */
final class HoldTerm {

	private final long number;

	private final Supplier<Moment> now;

	private volatile Hold hold;

	private volatile boolean ended;

	/*
	 * The times in our writes: of the last one that was answered, and of those since then
	 * that may have taken effect all the same.
	 */
	private @Nullable Instant written;

	private final Set<Instant> pending = new HashSet<>();

	HoldTerm(long number, Supplier<Moment> now, Hold hold, @Nullable Instant written) {
		this.number = number;
		this.now = now;
		this.hold = hold;
		this.written = written;
	}

	long number() {
		return this.number;
	}

	Hold hold() {
		return this.hold;
	}

	boolean isValid() {
		Hold current = this.hold;
		if (!(LeaseGate.judge(current.renewed(), current.duration(),
				this.now.get()) instanceof FenceDecision.Allowed)) {
			// A renewal that is answered later does not bring it back: who relied on it
			// has left things undone.
			this.ended = true;
		}
		return !this.ended;
	}

	/** Tells whether the Lease is still as we wrote it. */
	boolean isOurs(LeaseRecord seen) {
		Instant time = seen.renewTime();
		return seen.isHeldBySharder() && time != null && (time.equals(this.written) || this.pending.contains(time));
	}

	void renewing(@Nullable Instant renewTime) {
		if (renewTime != null) {
			this.pending.add(renewTime);
		}
	}

	void renewed(Moment sent, Duration duration, @Nullable Instant renewTime) {
		Hold before = this.hold;
		this.hold = new Hold(before.taken(), sent, duration, before.atLeast(), before.runsOut());
		this.written = renewTime;
		this.pending.clear();
	}

	/** From now on it is not valid, whatever the times say. */
	void end() {
		this.ended = true;
	}

}
