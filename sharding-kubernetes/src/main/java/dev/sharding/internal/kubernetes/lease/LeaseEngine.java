package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.core.lease.AcquisitionDecision;
import dev.sharding.internal.core.lease.LeaseLoss;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.RenewalDecision;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.core.slot.TermEnd;
import dev.sharding.internal.core.slot.TermProgress;
import dev.sharding.internal.kubernetes.lease.LeaseStatus.Phase;

/**
 * Decides what to do next about a Lease. Belongs to the loop: calls are made elsewhere
 * and their answers come back to the loop, so that the deadline is noticed while a call
 * hangs.
 */
final class LeaseEngine {

	/*
	 * A step does what is due and asks to be woken up for the rest. Each answer ends in a
	 * step. A term that ends makes the engine forget the answer that is still to come,
	 * because it belongs to that term, and the cached Lease, because that call may have
	 * changed it; but it waits for the call to end before it sends the next one.
	 */

	private static final Logger logger = LoggerFactory.getLogger(LeaseEngine.class);

	private final LeaseHolderConfig config;

	private final RenewalTimings timings;

	private final LeaseApi api;

	private final LeaseLoop loop;

	private final LeaseCalls calls;

	private final LeaseReports reports;

	private final LeaseClock clock;

	private final DoubleSupplier random;

	/** Whether somebody may act on a Lease that is gone. */
	private final BooleanSupplier inUse;

	private final LeaseContent content;

	private final LeasePace pace;

	private Phase phase = Phase.STOPPED;

	private long terms;

	private @Nullable LeaseTerm term;

	/** The Lease as last read or written, if no call can have changed it since. */
	private @Nullable Lease cached;

	private @Nullable LeaseAcquisition acquisition;

	/** How the Lease stood before it was to be acquired, if somebody has looked. */
	private @Nullable LeaseAcquisition ahead;

	private Moment lastAttempt;

	private double jitter;

	/** Conflicts in a row: only the first one is answered at once. */
	private int conflicts;

	private @Nullable LeaseRelease release;

	/**
	 * Whether a lost term is the end: somebody else decides which Lease comes next, or
	 * this process stops.
	 */
	private boolean once;

	/** Whether we may hold the Lease without a term, by a write that nobody answered. */
	private boolean unproved;

	/** Whether a note waits for the answer to the renewal that is under way. */
	private boolean noteDue;

	private volatile boolean touchDue;

	LeaseEngine(LeaseHolderConfig config, LeaseApi api, LeaseLoop loop, LeaseCalls calls, LeaseReports reports,
			LeaseClock clock, DoubleSupplier random, BooleanSupplier inUse) {
		this.config = config;
		this.timings = config.timings();
		this.api = api;
		this.loop = loop;
		this.calls = calls;
		this.reports = reports;
		this.clock = clock;
		this.random = random;
		this.inUse = inUse;
		this.content = new LeaseContent(config);
		this.pace = new LeasePace(this.timings, clock, random);
		this.lastAttempt = clock.now();
	}

	/** Reads the Lease, so that {@link #start()} need not wait for that. */
	void lookAhead() {
		if (this.phase == Phase.STOPPED && !this.calls.isBusy()) {
			LeaseAcquisition looking = acquisition(this.inUse);
			this.calls.send(this.api::get, (answer) -> {
				looking.lookedAhead(answer);
				this.ahead = looking;
			}, this::step);
		}
	}

	void start() {
		if (this.phase == Phase.STOPPED || this.phase == Phase.FAILED) {
			logger.info("Acquiring Lease lease={} identity={} instanceId={}", this.config.path(),
					this.config.identity(), this.config.instanceId());
			this.reports.begun();
			LeaseAcquisition begun = (this.ahead != null) ? this.ahead : acquisition(this.inUse);
			enter(Phase.ACQUIRING);
			this.acquisition = begun;
			step();
		}
	}

	/**
	 * Begins with a Lease that was acquired elsewhere, and holds it for one term.
	 * @param acquired the Lease as it was written
	 * @param sent when that was sent
	 */
	void startHeld(Lease acquired, Moment sent) {
		if (this.phase != Phase.STOPPED) {
			throw new IllegalStateException("Lease %s is in phase %s".formatted(this.config.path(), this.phase));
		}
		this.once = true;
		this.reports.begun();
		enter(Phase.HELD);
		begin(new LeaseAnswer(sent, acquired, null), acquired);
		step();
	}

	/** Acquires the Lease no more, unless the write is under way; a term goes on. */
	void acquireNoMore() {
		this.once = true;
		if (this.acquisition != null) {
			this.acquisition.end();
		}
		step();
	}

	/** Whether the objects have to be touched, as the Lease said when it was acquired. */
	boolean isTouchDue() {
		return this.touchDue;
	}

	/**
	 * Notes how far the term has come.
	 * @param next what the next renewal writes
	 * @param atOnce whether that is worth a renewal of its own
	 */
	void note(TermProgress next, boolean atOnce) {
		this.content.progress(next);
		if (!atOnce || this.phase != Phase.HELD) {
			return;
		}
		if (this.calls.isBusy()) {
			this.noteDue = true;
		}
		else {
			renew();
		}
	}

	TermProgress progress() {
		return this.content.progress();
	}

	/**
	 * Gives the Lease back if it is held.
	 * @param how whether with the mark
	 * @return completes when it is given back; fails when that did not succeed until one
	 * renew deadline from now
	 */
	CompletableFuture<Void> release(TermEnd how) {
		if (this.release != null) {
			return this.release.done();
		}
		boolean mayBeHeld = this.phase == Phase.HELD || (this.phase == Phase.ACQUIRING && this.calls.isBusy())
				|| isInDoubt();
		if (!mayBeHeld) {
			enter(Phase.STOPPED);
			step();
			return CompletableFuture.completedFuture(null);
		}
		Lease last = this.calls.isBusy() ? null : this.cached;
		enter(Phase.RELEASING);
		LeaseRelease begun = new LeaseRelease(this.api, this.calls, this.content, this.clock, this.pace, how,
				this.timings.renewDeadline(), last);
		this.release = begun;
		step();
		return begun.done();
	}

	private boolean isInDoubt() {
		return this.unproved || (this.acquisition != null && this.acquisition.isInDoubt());
	}

	void close() {
		if (this.release != null) {
			this.release.abandon("closed");
			this.release = null;
		}
		enter(Phase.STOPPED);
		step();
	}

	private void enter(Phase next) {
		this.phase = next;
		this.term = null;
		this.cached = null;
		this.calls.forget();
		this.pace.restart();
		this.acquisition = null;
		this.ahead = null;
	}

	private LeaseAcquisition acquisition(BooleanSupplier mayBeInUse) {
		return new LeaseAcquisition(this.api, this.calls, this.content, this.reports, this.clock, this.timings,
				this.pace, mayBeInUse);
	}

	private void step() {
		try {
			switch (this.phase) {
				case ACQUIRING -> stepAcquiring();
				case HELD -> stepHeld();
				case RELEASING -> stepReleasing();
				case STOPPED, FAILED -> {
				}
			}
		}
		catch (Throwable ex) {
			logger.error("Failed to look after Lease {}", this.config.path(), ex);
			wakeUpWithin(this.timings.retryPeriod());
		}
		this.reports.publish(this.phase, this.term);
	}

	/** Never sleeps long: while the machine is suspended, the timer stands still. */
	private void wakeUpWithin(Duration delay) {
		Duration most = this.timings.retryPeriod();
		this.loop.wakeUpAfter((delay.compareTo(most) < 0) ? delay : most, this::step);
	}

	private static boolean hasCome(Duration wait) {
		return wait.isZero() || wait.isNegative();
	}

	private void stepAcquiring() {
		LeaseAcquisition current = current(this.acquisition);
		if (this.once && !this.calls.isBusy() && current.acquired() == null) {
			this.unproved = isInDoubt();
			enter(Phase.STOPPED);
			return;
		}
		Duration wait = current.step(this::step);
		LeaseAnswer acquired = current.acquired();
		AcquisitionDecision.Duplicate duplicate = current.duplicate();
		if (acquired != null && acquired.lease() != null) {
			this.phase = Phase.HELD;
			this.acquisition = null;
			begin(acquired, acquired.lease());
			stepHeld();
		}
		else if (duplicate != null) {
			enter(Phase.FAILED);
			this.reports.failed(new DuplicateShardNameException(this.config.namespace(), this.config.leaseName(),
					duplicate.instanceId()));
		}
		else {
			wakeUpWithin(wait);
		}
	}

	private void begin(LeaseAnswer answer, Lease acquired) {
		LeaseTerm begun = LeaseTerm.begin(++this.terms, answer.sent(), this.timings.leaseDuration());
		this.term = begun;
		this.unproved = false;
		this.noteDue = false;
		this.content.progress(TermProgress.BEGUN);
		this.touchDue = LeaseContent.isTouchDue(acquired);
		written(answer, acquired);
		this.reports.acquired(begun);
	}

	private void stepHeld() {
		LeaseTerm held = current(this.term);
		RenewalDecision decision = RenewalDecision.of(held.renewed(), this.lastAttempt, this.clock.now(), this.timings,
				this.jitter);
		if (decision instanceof RenewalDecision.Lost lost) {
			String error = this.reports.lastError();
			lose(LeaseLoss.DEADLINE, "no renewal succeeded for %d ms%s".formatted(lost.since().toMillis(),
					(error != null) ? "; " + error : ""));
		}
		else if (decision instanceof RenewalDecision.Wait wait) {
			wakeUpWithin(wait.delay());
		}
		else {
			if (!this.calls.isBusy()) {
				renew();
			}
			wakeUpWithin(this.timings.untilLost(held.renewed(), this.clock.now()));
		}
	}

	private void renew() {
		this.lastAttempt = this.clock.now();
		this.jitter = this.random.getAsDouble();
		Lease last = this.cached;
		if (last == null) {
			this.calls.send(this.api::get, this::onReadToRenew, this::step);
			return;
		}
		this.noteDue = false;
		Lease renewed = this.content.renew(last, this.lastAttempt.wall());
		this.calls.send(() -> this.api.update(renewed), this::onRenewed, this::step);
	}

	private void onRenewed(LeaseAnswer answer) {
		Lease lease = answer.lease();
		if (answer.isConflict() || answer.isNotFound()) {
			this.cached = null;
			if (this.conflicts++ == 0) {
				this.calls.send(this.api::get, this::onReadToRenew, this::step);
			}
		}
		else if (lease == null) {
			// It may have been written all the same; then the next renewal is a conflict.
			failed("renew", answer.failure());
		}
		else {
			this.term = current(this.term).renewed(answer.sent(), this.timings.leaseDuration());
			written(answer, lease);
			if (this.noteDue) {
				renew();
			}
		}
		step();
	}

	private void onReadToRenew(LeaseAnswer answer) {
		if (answer.failure() != null) {
			failed("read", answer.failure());
			step();
			return;
		}
		Lease lease = answer.lease();
		LeaseRecord record = (lease != null) ? LeaseRecords.of(lease) : null;
		LeaseLoss loss = LeaseLoss.of(this.content.identity(), record);
		if (loss != null) {
			String holder = (record != null) ? record.holderIdentity() : null;
			lose(loss, (holder != null) ? "held by '%s'".formatted(holder) : "there is no Lease");
		}
		else if (!hasCome(this.timings.untilLost(current(this.term).renewed(), this.clock.now()))) {
			this.cached = lease;
			renew();
		}
		step();
	}

	private void lose(LeaseLoss loss, String detail) {
		LeaseTerm ended = current(this.term);
		// Nobody else can have begun to act on it while our term could be proved.
		boolean wasOurs = loss == LeaseLoss.ABSENT && ended.validAt(this.clock.now(), Duration.ZERO);
		this.unproved = loss == LeaseLoss.DEADLINE;
		enter(this.once ? Phase.STOPPED : Phase.ACQUIRING);
		if (!this.once) {
			this.acquisition = acquisition(wasOurs ? () -> false : this.inUse);
		}
		this.reports.lost(ended, this.phase, loss.name().toLowerCase(Locale.ROOT) + ": " + detail);
		wakeUpWithin(Duration.ZERO);
	}

	private void stepReleasing() {
		LeaseRelease current = current(this.release);
		Duration wait = current.step(this::step);
		if (current.isOver()) {
			this.release = null;
			enter(Phase.STOPPED);
			this.reports.released(current.lastError());
		}
		else {
			wakeUpWithin(wait);
		}
	}

	private void written(LeaseAnswer answer, Lease lease) {
		this.cached = lease;
		this.conflicts = 0;
		this.lastAttempt = answer.sent();
		this.jitter = this.random.getAsDouble();
		this.reports.written(this.clock.now().observedSince(answer.sent()));
	}

	private void failed(String operation, @Nullable LeaseApiException failure) {
		this.reports.failing(operation, failure, this.clock.now().wall());
	}

	/** What there is in the present phase. */
	private <T> T current(@Nullable T part) {
		if (part == null) {
			throw new IllegalStateException("Lease %s is in phase %s".formatted(this.config.path(), this.phase));
		}
		return part;
	}

}
