package dev.sharding.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.core.lease.LeaseObservation;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;

/**
 * All that this process knows of the lock of one name, and the steps of locking. Safe for
 * use by many threads.
 */
final class LeaseLock {

	/** What a Lease says that it is the lock of. */
	static final String LOCK = "sharding.dev/lock";

	private static final Logger logger = LoggerFactory.getLogger(LeaseLock.class);

	/* Whoever extends now and then, such as ShedLock, gives up for good at a failure. */
	private static final int TRIES_TO_EXTEND = 4;

	private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

	private final String name;

	private final String label;

	private final LockOwner owner;

	private final LockLeases leases;

	private final LeaseClock clock;

	/* For who locks: another thread that is about to lock is as good as one that has. */
	private final ReentrantLock turn = new ReentrantLock();

	/* Guarded by the turn. */
	private @Nullable LeaseObservation seen;

	private @Nullable Moment absentSince;

	/** What was locked here last and not unlocked. */
	private volatile @Nullable HeldLock held;

	/** What this thread has locked: a task that outlasts its lock is not the next one. */
	private final ThreadLocal<@Nullable String> mine = new ThreadLocal<>();

	/** What was locked here and not unlocked yet, by whichever thread. */
	private final Set<String> tasks = ConcurrentHashMap.newKeySet();

	/**
	 * Creates the lock.
	 * @param name the name of the Lease
	 * @param label what the Lease says that it is the lock of
	 * @param owner who locks
	 * @param leases calls
	 * @param clock the clocks
	 */
	LeaseLock(String name, String label, LockOwner owner, LockLeases leases, LeaseClock clock) {
		this.name = name;
		this.label = label;
		this.owner = owner;
		this.leases = leases;
		this.clock = clock;
	}

	/**
	 * Whether what was locked here can still be proved for as long as a write takes; on a
	 * thread that has locked, whether that is what it locked, until that is unlocked.
	 */
	boolean allowsWrite() {
		HeldLock current = this.held;
		String locked = this.mine.get();
		boolean atWork = locked != null && this.tasks.contains(locked);
		return current != null && (!atWork || current.instanceId().equals(locked))
				&& current.allowsWrite(this.clock.now());
	}

	/** Tries to lock, once. */
	Optional<SimpleLock> lock(LockConfiguration configuration) {
		if (Thread.currentThread().isInterrupted()) {
			throw new LockException("Not locking '%s': the thread is interrupted".formatted(this.label));
		}
		if (!this.turn.tryLock()) {
			return Optional.empty();
		}
		try {
			HeldLock current = this.held;
			if (current != null && !current.isOver(this.clock.now())) {
				return Optional.empty();
			}
			Lease lease = this.leases.get(this.name);
			Moment now = this.clock.now();
			return isFree(lease, now) ? acquire(configuration, lease) : Optional.empty();
		}
		finally {
			this.turn.unlock();
		}
	}

	/**
	 * Gives the lock back, also for a task that was interrupted; what fails there leaves
	 * it to run out, here as well. Nothing is written under it from then on, as the
	 * answer may be lost.
	 */
	void unlock(HeldLock lock) {
		boolean interrupted = Thread.interrupted();
		try {
			giveBack(lock);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void giveBack(HeldLock lock) {
		lock.end();
		this.tasks.remove(lock.instanceId());
		if (lock.instanceId().equals(this.mine.get())) {
			this.mine.remove();
		}
		try {
			Lease written = write(lock, (lease) -> {
				Instant now = this.clock.wall().instant();
				Instant until = lock.configuration().getLockAtLeastUntil();
				return unlocked(lease, now, until.isAfter(now) ? until : now);
			});
			forget(lock);
			if (written == null) {
				logger.warn("Lock was not held any more when its task ended: it ran out, or its Lease was changed"
						+ " lock={} lease={}", lock.configuration().getName(), this.name);
			}
		}
		catch (LockException ex) {
			logger.warn("Failed to unlock, leaving the lock to run out lock={} reason=\"{}\"",
					lock.configuration().getName(), ex.getMessage());
		}
	}

	/**
	 * Has the lock last from now on, unless it has run out; what fails is tried again a
	 * few times. Meanwhile nobody else locks here: who found the old end over would not
	 * know of the new one.
	 */
	Optional<SimpleLock> extend(HeldLock lock, LockConfiguration next) {
		this.turn.lock();
		try {
			for (int tries = 1;; tries++) {
				Moment sent = this.clock.now();
				if (!lock.lasts(sent)) {
					return Optional.empty();
				}
				try {
					return extend(lock, next, sent);
				}
				catch (LockException ex) {
					if (tries == TRIES_TO_EXTEND || !pause(FIRST_PAUSE.multipliedBy(1L << (tries - 1)))) {
						throw ex;
					}
					logger.debug("Failed to extend, trying again lock={} reason=\"{}\"", next.getName(),
							ex.getMessage());
				}
			}
		}
		finally {
			this.turn.unlock();
		}
	}

	private Optional<SimpleLock> extend(HeldLock lock, LockConfiguration next, Moment sent) {
		// Others never see an earlier end: without an answer the old one counts here.
		Duration left = lock.left(sent);
		Duration atMost = (left.compareTo(next.getLockAtMostFor()) > 0) ? left : next.getLockAtMostFor();
		Lease written = write(lock, (lease) -> extended(lease, sent.wall(), atMost));
		if (written == null) {
			// Not forgotten: its task may still run.
			lock.end();
			return Optional.empty();
		}
		return got(new HeldLock(next, this, lock.instanceId(), sent, written));
	}

	private static boolean pause(Duration pause) {
		try {
			Thread.sleep(pause.toMillis());
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private synchronized void forget(HeldLock lock) {
		if (this.held == lock) {
			this.held = null;
		}
	}

	private synchronized Optional<SimpleLock> got(HeldLock lock) {
		if (!lock.lasts(this.clock.now())) {
			return Optional.empty();
		}
		this.held = lock;
		return Optional.of(lock);
	}

	private boolean isFree(@Nullable Lease lease, Moment now) {
		LeaseObservation before = this.seen;
		if (lease == null) {
			Moment since = (this.absentSince != null) ? this.absentSince : now;
			this.absentSince = since;
			return LockLaw.isFreeAbsent(before, before != null && this.owner.owns(before.lease()), since, now);
		}
		requireLock(lease);
		this.absentSince = null;
		LeaseRecord record = LeaseRecords.of(lease);
		LeaseObservation current = (before != null) ? before.next(record, now) : LeaseObservation.first(record, now);
		this.seen = current;
		boolean free = LockLaw.isFree(current, this.owner.owns(record), now);
		if (!free && LockLaw.isHeld(record) && LockLaw.isOver(record, Duration.ZERO, now)) {
			logger.warn(
					"Refusing a lock that is over by the clock, until this process has seen its Lease unchanged for"
							+ " as long as it lasts lock={} lease={}/{} holder={} renewTime={} lasts={}s seenFor={}",
					this.label, this.leases.namespace(), this.name, record.holderIdentity(), record.renewTime(),
					record.leaseDurationSeconds(), current.unchangedFor(now));
		}
		return free;
	}

	private void requireLock(Lease lease) {
		String found = (lease.getMetadata().getAnnotations() != null) ? lease.getMetadata().getAnnotations().get(LOCK)
				: null;
		if (!this.label.equals(found)) {
			throw new LockException("Lease %s/%s is not that of the lock '%s', but of %s".formatted(
					this.leases.namespace(), this.name, this.label,
					(found != null) ? "'" + found + "'" : "something else: no annotation '" + LOCK + "'"));
		}
	}

	private Optional<SimpleLock> acquire(LockConfiguration configuration, @Nullable Lease lease) {
		String instanceId = this.owner.next();
		Moment sent = this.clock.now();
		Lease wanted = locked((lease != null) ? lease : empty(), instanceId, sent.wall(),
				configuration.getLockAtMostFor());
		Lease written = acquire(wanted, lease == null, instanceId);
		if (written == null) {
			return Optional.empty();
		}
		this.seen = null;
		this.absentSince = null;
		Optional<SimpleLock> got = got(new HeldLock(configuration, this, instanceId, sent, written));
		got.ifPresent((lock) -> {
			String before = this.mine.get();
			if (before != null) {
				this.tasks.remove(before);
			}
			this.tasks.add(instanceId);
			this.mine.set(instanceId);
		});
		return got;
	}

	/*
	 * A write without an answer may have locked. Then nobody else can do this turn of the
	 * task, so whether it has is looked at once.
	 */
	private @Nullable Lease acquire(Lease wanted, boolean create, String instanceId) {
		try {
			return create ? this.leases.create(wanted) : this.leases.update(wanted);
		}
		catch (LockException ex) {
			Lease current = afterFailure(ex);
			if (current == null || !instanceId.equals(LeaseRecords.of(current).instanceId())) {
				throw ex;
			}
			return current;
		}
	}

	private @Nullable Lease afterFailure(LockException failure) {
		try {
			return this.leases.get(this.name);
		}
		catch (LockException ex) {
			failure.addSuppressed(ex);
			return null;
		}
	}

	/* Once more if something else of the Lease was changed. */
	private @Nullable Lease write(HeldLock lock, UnaryOperator<Lease> change) {
		Lease written = this.leases.update(change.apply(lock.lease()));
		if (written != null) {
			return written;
		}
		Lease current = this.leases.get(this.name);
		if (current == null || !lock.instanceId().equals(LeaseRecords.of(current).instanceId())) {
			return null;
		}
		return this.leases.update(change.apply(current));
	}

	private Lease empty() {
		return new LeaseBuilder().withNewMetadata()
			.withNamespace(this.leases.namespace())
			.withName(this.name)
			.addToAnnotations(LOCK, this.label)
			.endMetadata()
			.build();
	}

	private Lease locked(Lease lease, String instanceId, Instant now, Duration atMost) {
		LeaseRecord before = LeaseRecords.of(lease);
		int transitions = (before.leaseTransitions() != null) ? before.leaseTransitions() + 1 : 0;
		return LeaseRecords.write(lease,
				new LeaseRecord(this.name, this.owner.identity(), now, now, seconds(atMost), transitions, instanceId));
	}

	private Lease extended(Lease lease, Instant now, Duration atMost) {
		LeaseRecord before = LeaseRecords.of(lease);
		return LeaseRecords.write(lease, new LeaseRecord(this.name, before.holderIdentity(), before.acquireTime(), now,
				seconds(atMost), before.leaseTransitions(), before.instanceId()));
	}

	private Lease unlocked(Lease lease, Instant now, Instant until) {
		return LeaseRecords.write(lease,
				new LeaseRecord(this.name, "", now, until, 1, LeaseRecords.of(lease).leaseTransitions(), null));
	}

	/* A Lease knows whole seconds, and at least one. */
	private static int seconds(Duration duration) {
		long seconds = duration.getSeconds() + ((duration.getNano() > 0) ? 1 : 0);
		return (int) Math.max(1, Math.min(seconds, Integer.MAX_VALUE));
	}

}
