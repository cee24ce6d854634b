package dev.sharding.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

import dev.sharding.internal.core.fence.FenceDecision;
import dev.sharding.internal.core.fence.LeaseGate;
import dev.sharding.internal.core.lease.Moment;

/**
 * A lock that was got, from one write of its Lease to the next.
 */
final class HeldLock extends AbstractSimpleLock {

	private final LeaseLock lock;

	private final String instanceId;

	private final Moment sent;

	private final Lease lease;

	private volatile boolean ended;

	/**
	 * Creates a lock.
	 * @param configuration what was asked for
	 * @param lock what it is one of
	 * @param instanceId what the Lease says that it is locked by
	 * @param sent just before the write was sent
	 * @param lease as it was written
	 */
	HeldLock(LockConfiguration configuration, LeaseLock lock, String instanceId, Moment sent, Lease lease) {
		super(configuration);
		this.lock = lock;
		this.instanceId = instanceId;
		this.sent = sent;
		this.lease = lease;
	}

	LockConfiguration configuration() {
		return this.lockConfiguration;
	}

	String instanceId() {
		return this.instanceId;
	}

	Lease lease() {
		return this.lease;
	}

	/** Whether the lock has not run out, whichever clock is asked. */
	boolean lasts(Moment now) {
		return now.since(this.sent).compareTo(atMost()) < 0;
	}

	/** Whether the lock has run out for sure. */
	boolean isOver(Moment now) {
		return now.observedSince(this.sent).compareTo(atMost()) >= 0;
	}

	/** What is left of it, by the clock that others wait by. */
	Duration left(Moment now) {
		return atMost().minus(now.observedSince(this.sent));
	}

	/** Nothing is written under it any more, whether or not it has run out. */
	void end() {
		this.ended = true;
	}

	/** Whether a write may still go out, by the same law as those of a leader. */
	boolean allowsWrite(Moment now) {
		return !this.ended && LeaseGate.judge(this.sent, atMost(), now) instanceof FenceDecision.Allowed;
	}

	private Duration atMost() {
		return this.lockConfiguration.getLockAtMostFor();
	}

	@Override
	protected void doUnlock() {
		this.lock.unlock(this);
	}

	@Override
	protected Optional<SimpleLock> doExtend(LockConfiguration next) {
		return this.lock.extend(this, next);
	}

}
