package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.lease.AcquisitionDecision;
import dev.sharding.internal.core.lease.LeaseObservation;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.RenewalTimings;

/**
 * The way to a term: looks at the Lease until it may be acquired, and acquires it.
 * Belongs to the loop.
 */
final class LeaseAcquisition {

	private final LeaseApi api;

	private final LeaseCalls calls;

	private final LeaseContent content;

	private final LeaseReports reports;

	private final LeaseClock clock;

	private final RenewalTimings timings;

	private final LeasePace pace;

	/** Whether somebody may act on a Lease that is gone before we saw it. */
	private final BooleanSupplier inUse;

	private @Nullable LeaseObservation observed;

	private @Nullable Moment absentSince;

	/** What a look ahead has shown, until it is used. */
	private @Nullable LeaseAnswer ahead;

	/** Whether a Lease that was read was gone when it was to be taken over. */
	private boolean vanished;

	private boolean ended;

	private @Nullable LeaseAnswer acquired;

	/** Whether a write may have acquired the Lease and brought no term. */
	private boolean inDoubt;

	private AcquisitionDecision.@Nullable Duplicate duplicate;

	LeaseAcquisition(LeaseApi api, LeaseCalls calls, LeaseContent content, LeaseReports reports, LeaseClock clock,
			RenewalTimings timings, LeasePace pace, BooleanSupplier inUse) {
		this.api = api;
		this.calls = calls;
		this.content = content;
		this.reports = reports;
		this.clock = clock;
		this.timings = timings;
		this.pace = pace;
		this.inUse = inUse;
	}

	/** What the write that acquired the Lease brought, once there is one. */
	@Nullable LeaseAnswer acquired() {
		return this.acquired;
	}

	/** The other process of our name, if there is one. */
	AcquisitionDecision.@Nullable Duplicate duplicate() {
		return this.duplicate;
	}

	/** Tells whether the Lease may have been acquired though nobody was told in time. */
	boolean isInDoubt() {
		return this.inDoubt;
	}

	/** Writes no more. */
	void end() {
		this.ended = true;
	}

	/**
	 * Takes a look at the Lease from before it was to be acquired. Since when a record is
	 * unchanged counts from here.
	 */
	void lookedAhead(LeaseAnswer answer) {
		if (answer.failure() == null) {
			this.ahead = answer;
			if (answer.lease() != null) {
				observe(answer.lease(), this.clock.now());
			}
		}
	}

	/**
	 * Does what is due.
	 * @param answered what to run after each answer
	 * @return how long to wait for the next step at most
	 */
	Duration step(Runnable answered) {
		if (this.acquired != null || this.duplicate != null) {
			// A look at the Lease of the term that begins would acquire it once more.
			return Duration.ZERO;
		}
		LeaseAnswer early = this.ahead;
		this.ahead = null;
		if (early != null && !this.calls.isBusy()) {
			actOn(early, answered);
		}
		if (this.calls.isBusy()) {
			return this.timings.retryPeriod();
		}
		Duration wait = this.pace.untilDue();
		if (!wait.isZero() && !wait.isNegative()) {
			return wait;
		}
		send(this.api::get, (answer) -> onRead(answer, answered), answered);
		return this.timings.retryPeriod();
	}

	/*
	 * An early look is enough to write: what it has shown is the precondition of the
	 * write, so a Lease that has changed since is a conflict. Whoever has to wait looks
	 * again first, as the Lease may have been given back.
	 */
	private void actOn(LeaseAnswer early, Runnable answered) {
		Moment now = this.clock.now();
		write(decide(early.lease(), now), early.lease(), now, answered);
	}

	private void onRead(LeaseAnswer answer, Runnable answered) {
		if (answer.failure() != null) {
			failed("read", answer.failure());
			return;
		}
		this.reports.answered();
		Lease lease = answer.lease();
		Moment now = this.clock.now();
		if (lease != null) {
			observe(lease, now);
			this.absentSince = null;
		}
		else {
			this.vanished = false;
			if (this.absentSince == null) {
				this.absentSince = now;
			}
		}
		AcquisitionDecision decision = decide(lease, now);
		if (decision instanceof AcquisitionDecision.Wait wait) {
			this.reports.waiting((lease != null) ? LeaseRecords.of(lease).holderIdentity() : null);
			this.pace.retryWithin(wait.delay());
		}
		else if (decision instanceof AcquisitionDecision.Duplicate other) {
			this.duplicate = other;
		}
		else {
			write(decision, lease, now, answered);
		}
	}

	private void observe(Lease lease, Moment now) {
		LeaseObservation before = this.observed;
		LeaseRecord record = this.content.believed(lease);
		this.observed = (before != null) ? before.next(record, now) : LeaseObservation.first(record, now);
	}

	private AcquisitionDecision decide(@Nullable Lease lease, Moment now) {
		Duration own = this.timings.leaseDuration();
		return (lease != null) ? AcquisitionDecision.of(this.content.identity(), own, this.observed, now)
				: AcquisitionDecision.ofAbsent(this.content.identity(), own, this.observed,
						(this.absentSince != null) ? this.absentSince : now, this.inUse.getAsBoolean(), now);
	}

	private void write(AcquisitionDecision decision, @Nullable Lease lease, Moment now, Runnable answered) {
		if (this.ended) {
			return;
		}
		if (decision instanceof AcquisitionDecision.Create) {
			send(() -> this.api.create(this.content.create(this.inUse, now.wall())), this::onWritten, answered);
		}
		else if (decision instanceof AcquisitionDecision.TakeOver && lease != null) {
			send(() -> this.api.update(this.content.takeOver(lease, now.wall())), this::onTakenOver, answered);
		}
	}

	private void onTakenOver(LeaseAnswer answer) {
		if (answer.isNotFound() && !this.vanished) {
			// It has gone since it was read: look again. A create is not found where
			// there is no such namespace, and waits.
			this.vanished = true;
			this.pace.now();
		}
		else {
			// Once more it is somebody on the way who says so, such as a webhook.
			onWritten(answer);
		}
	}

	private void onWritten(LeaseAnswer answer) {
		if (answer.isConflict()) {
			// Somebody was faster, or the sharder has written its label: look again.
			this.pace.now();
		}
		else if (answer.lease() == null) {
			this.inDoubt |= answer.mayHaveGotThrough();
			failed("acquire", answer.failure());
		}
		else if (this.timings.untilLost(answer.sent(), this.clock.now()).compareTo(Duration.ZERO) <= 0) {
			// The answer was so long under way that it is worth nothing.
			this.inDoubt = true;
			this.pace.now();
		}
		else {
			this.acquired = answer;
		}
	}

	private void send(Supplier<@Nullable Lease> call, Consumer<LeaseAnswer> then, Runnable answered) {
		this.pace.whateverComes();
		this.calls.send(call, (answer) -> {
			then.accept(answer);
			answered.run();
		}, answered);
	}

	private void failed(String operation, @Nullable LeaseApiException failure) {
		this.reports.failing(operation, failure, this.clock.now().wall());
		this.pace.backOff();
	}

}
