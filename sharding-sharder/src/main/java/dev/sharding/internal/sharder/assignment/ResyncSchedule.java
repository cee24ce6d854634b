package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.sharding.internal.sharder.watch.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * Says when a resync is due: at once, when something is done, after a failure with a
 * growing delay, or one period after the last. A new one ends the one that runs. Lives on
 * the ring's thread.
 */
final class ResyncSchedule {

	private static final Duration FIRST_RETRY = Duration.ofSeconds(5);

	private static final Duration LOOK_EVERY = Duration.ofMillis(200);

	/* What keeps failing may delay the pass for what has only just failed so often. */
	private static final int MOST_DOUBLINGS_FOR_NEW = 2;

	private static final Duration NOT_LISTED = Duration.ofSeconds(5);

	private static final Duration NEVER_QUIET = Duration.ofSeconds(60);

	private final EventLoop loop;

	private final Duration period;

	private final LongSupplier nanoTime;

	private final Supplier<Resync> resyncs;

	private final BiConsumer<Duration, Boolean> ended;

	private @Nullable Resync running;

	private long began;

	/* Whoever was scheduled under an older number does not run any more. */
	private int ticket;

	private boolean failed;

	private int retries;

	/* When a pass that is due earlier begins, unless there is none. */
	private @Nullable Long retryAt;

	/* A pass waits for things to become quiet: nothing may put it off. */
	private boolean looking;

	/* Something changed since the running pass began. */
	private boolean again;

	/**
	 * @param ended gets how long each pass took that was not stopped, and whether all of
	 * it succeeded
	 */
	ResyncSchedule(EventLoop loop, Duration period, LongSupplier nanoTime, Supplier<Resync> resyncs,
			BiConsumer<Duration, Boolean> ended) {
		this.loop = loop;
		this.period = period;
		this.nanoTime = nanoTime;
		this.resyncs = resyncs;
		this.ended = ended;
	}

	void now() {
		stop();
		this.failed = false;
		this.again = false;
		Resync resync = this.resyncs.get();
		this.running = resync;
		this.began = this.nanoTime.getAsLong();
		resync.run().thenAcceptAsync((failures) -> ended(resync, failures), this.loop);
	}

	/**
	 * A resync is due; one that runs ends first, so that a stream of changes cannot keep
	 * all of them from ending.
	 */
	void soon() {
		if (this.running != null) {
			this.again = true;
		}
		else {
			now();
		}
	}

	/**
	 * A resync is due once things are quiet, or if that takes too long.
	 * @param quiet whether what goes first is done
	 * @param listed whether what goes first is known
	 * @param listing whether more of that has come since it was asked for last
	 */
	void afterwards(BooleanSupplier quiet, BooleanSupplier listed, BooleanSupplier listing) {
		stop();
		this.looking = true;
		look(quiet, listed, listing, this.ticket, this.nanoTime.getAsLong());
	}

	private void look(BooleanSupplier quiet, BooleanSupplier listed, BooleanSupplier listing, int mine, long since) {
		this.loop.schedule(() -> {
			if (this.ticket != mine) {
				return;
			}
			Duration waited = Duration.ofNanos(this.nanoTime.getAsLong() - since);
			Duration patience = listed.getAsBoolean() ? NEVER_QUIET : NOT_LISTED;
			if (quiet.getAsBoolean() || waited.compareTo(patience) > 0) {
				now();
			}
			else {
				look(quiet, listed, listing, mine, listing.getAsBoolean() ? this.nanoTime.getAsLong() : since);
			}
		}, LOOK_EVERY);
	}

	/** Whether a pass runs, or waits for things to become quiet. */
	boolean isUnderWay() {
		return this.running != null || this.looking;
	}

	/** Ends what runs or waits. */
	void stop() {
		this.ticket++;
		this.retryAt = null;
		this.looking = false;
		if (this.running != null) {
			this.running.stop();
			this.running = null;
		}
	}

	/**
	 * An object could not be placed, so the next resync is due earlier.
	 * @param anew whether it has only just begun to fail: it does not wait for as long as
	 * what has failed many times
	 */
	void failed(boolean anew) {
		this.failed = true;
		if (anew) {
			this.retries = Math.min(this.retries, MOST_DOUBLINGS_FOR_NEW);
		}
		Long due = this.retryAt;
		boolean late = due == null || (anew && this.nanoTime.getAsLong() + delay().toNanos() - due < 0);
		if (this.running == null && !this.looking && late) {
			retry();
		}
	}

	private void ended(Resync resync, int failures) {
		if (resync.isStopped()) {
			return;
		}
		this.running = null;
		this.ended.accept(Duration.ofNanos(this.nanoTime.getAsLong() - this.began), failures == 0);
		if (this.again) {
			now();
		}
		else if (failures > 0 || this.failed) {
			retry();
		}
		else {
			this.retries = 0;
			schedule(this.period);
		}
	}

	private void retry() {
		Duration delay = delay();
		this.retries++;
		this.retryAt = this.nanoTime.getAsLong() + delay.toNanos();
		schedule(delay);
	}

	private Duration delay() {
		Duration delay = FIRST_RETRY.multipliedBy(1L << Math.min(this.retries, 10));
		return (delay.compareTo(this.period) < 0) ? delay : this.period;
	}

	private void schedule(Duration delay) {
		int mine = ++this.ticket;
		this.loop.schedule(() -> {
			if (this.ticket == mine) {
				now();
			}
		}, delay);
	}

}
