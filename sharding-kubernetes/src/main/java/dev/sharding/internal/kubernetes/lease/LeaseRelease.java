package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.TermEnd;

/**
 * One attempt to give the Lease back. Belongs to the loop.
 */
final class LeaseRelease {

	private final LeaseApi api;

	private final LeaseCalls calls;

	private final LeaseContent content;

	private final LeaseClock clock;

	private final LeasePace pace;

	private final TermEnd how;

	private final Duration deadline;

	private final Moment began;

	private final CompletableFuture<Void> done = new CompletableFuture<>();

	private @Nullable Lease last;

	private @Nullable String lastError;

	private boolean over;

	LeaseRelease(LeaseApi api, LeaseCalls calls, LeaseContent content, LeaseClock clock, LeasePace pace, TermEnd how,
			Duration deadline, @Nullable Lease last) {
		this.api = api;
		this.calls = calls;
		this.content = content;
		this.clock = clock;
		this.pace = pace;
		this.how = how;
		this.deadline = deadline;
		this.began = clock.now();
		this.last = last;
	}

	/** Completes when the Lease is given back; fails when the deadline has passed. */
	CompletableFuture<Void> done() {
		return this.done;
	}

	/** Tells whether nothing is left to do, successful or not. */
	boolean isOver() {
		return this.over;
	}

	@Nullable String lastError() {
		return this.lastError;
	}

	/**
	 * Does what is due.
	 * @param answered what to run after each answer
	 * @return how long to wait for the next step at most
	 */
	Duration step(Runnable answered) {
		if (this.over) {
			return Duration.ZERO;
		}
		Duration left = this.deadline.minus(this.clock.now().since(this.began));
		if (left.isZero() || left.isNegative()) {
			abandon((this.lastError != null) ? this.lastError : "no answer until the renew deadline");
			return Duration.ZERO;
		}
		Duration wait = this.pace.untilDue();
		if (this.calls.isBusy()) {
			return left;
		}
		if (!wait.isZero() && !wait.isNegative()) {
			return (wait.compareTo(left) < 0) ? wait : left;
		}
		Consumer<LeaseAnswer> then = (this.last == null) ? this::onRead : this::onWritten;
		Lease empty = (this.last != null) ? this.content.release(this.last, this.how, this.clock.now().wall()) : null;
		this.pace.whateverComes();
		this.calls.send(() -> (empty != null) ? this.api.update(empty) : this.api.get(), (answer) -> {
			then.accept(answer);
			answered.run();
		}, answered);
		return left;
	}

	/** Gives up; the Lease runs out by itself. */
	void abandon(String reason) {
		this.over = true;
		this.lastError = reason;
		this.done.completeExceptionally(new TimeoutException(reason));
	}

	private void onRead(LeaseAnswer answer) {
		Lease lease = answer.lease();
		if (answer.failure() != null) {
			failed(answer.failure());
		}
		else if (lease == null || !this.content.identity().holds(LeaseRecords.of(lease))) {
			end();
		}
		else {
			this.last = lease;
			this.pace.now();
		}
	}

	private void onWritten(LeaseAnswer answer) {
		if (answer.isConflict() || answer.isNotFound()) {
			this.last = null;
			this.pace.now();
		}
		else if (answer.failure() != null) {
			failed(answer.failure());
		}
		else {
			end();
		}
	}

	private void failed(LeaseApiException failure) {
		this.lastError = failure.getMessage();
		// It may have been written all the same.
		this.last = null;
		this.pace.backOff();
	}

	private void end() {
		this.over = true;
		this.lastError = null;
		this.done.completeAsync(() -> null, LeaseNews.EXECUTOR);
	}

}
