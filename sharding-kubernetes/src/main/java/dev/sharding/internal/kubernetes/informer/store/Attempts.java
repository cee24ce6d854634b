package dev.sharding.internal.kubernetes.informer.store;

import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.informer.InformerTimings;

/**
 * Decides after each list or watch when the next one comes and which of the two it is. A
 * watch that lived is followed at once, one that did not after a growing pause; the scope
 * is listed anew only where the watch cannot continue.
 */
final class Attempts {

	private static final int GONE = 410;

	/** Client errors after which the same watch may work again. */
	private static final Set<Integer> TRANSIENT = Set.of(401, 403, 408, 429);

	/** How many errors told inside watches are borne before the scope is listed anew. */
	private static final int ERRORS_BORNE = 2;

	private final InformerTimings timings;

	private int failures;

	private int errorsSinceList;

	/* Since a watch lived: so that lists that do not help are no tight loop. */
	private boolean expired;

	Attempts(InformerTimings timings) {
		this.timings = timings;
	}

	/** The scope was listed. What counts as success is the watch that follows. */
	Next listed() {
		this.errorsSinceList = 0;
		return new Next(Duration.ZERO, false, false);
	}

	/**
	 * A watch that had been opened ended without an error: its time was over, it was cut,
	 * or it fell silent.
	 * @param lived whether it told something or lasted a while
	 * @param random from 0 to 1
	 */
	Next ended(boolean lived, double random) {
		this.failures = lived ? 0 : this.failures + 1;
		this.expired &= !lived;
		return new Next(pause(null, random), false, false);
	}

	/**
	 * A watch that had been opened ended with an error event.
	 * @param lived whether it told something or lasted a while
	 * @param status the code in the event
	 * @param retryAfter what the event asked for, or {@code null}
	 * @param random from 0 to 1
	 */
	Next errored(boolean lived, int status, @Nullable Duration retryAfter, double random) {
		this.failures = lived ? 1 : this.failures + 1;
		this.expired &= !lived;
		this.errorsSinceList++;
		boolean relist = isFinal(status) || this.errorsSinceList > ERRORS_BORNE;
		return next(relist, status, retryAfter, random);
	}

	/**
	 * A list failed, or a watch could not be opened.
	 * @param status the HTTP status, or 0 if no answer came
	 * @param retryAfter what the answer asked for, or {@code null}
	 * @param random from 0 to 1
	 */
	Next refused(int status, @Nullable Duration retryAfter, double random) {
		this.failures++;
		return next(isFinal(status), status, retryAfter, random);
	}

	/** Something failed that should not. */
	Duration surprised(double random) {
		this.failures++;
		return pause(null, random);
	}

	private Next next(boolean relist, int status, @Nullable Duration retryAfter, double random) {
		if (status != GONE) {
			return new Next(pause(retryAfter, random), relist, true);
		}
		if (this.expired) {
			return new Next(pause(retryAfter, random), relist, false);
		}
		// Whoever answers is there: what failed before is over.
		this.expired = true;
		this.failures = 0;
		return new Next(Duration.ZERO, relist, false);
	}

	private static boolean isFinal(int status) {
		return status >= 400 && status < 500 && !TRANSIENT.contains(status);
	}

	private Duration pause(@Nullable Duration asked, double random) {
		if (this.failures == 0) {
			return Duration.ZERO;
		}
		Duration own = this.timings.retryAfter(this.failures, random);
		return (asked != null && asked.compareTo(own) > 0) ? asked : own;
	}

	/**
	 * What comes next.
	 *
	 * @param pause how long to wait before it
	 * @param relist whether the scope must be listed anew
	 * @param failing whether this is a failure to be told
	 */
	record Next(Duration pause, boolean relist, boolean failing) {
	}

}
