package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.util.function.DoubleSupplier;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.RenewalTimings;

/**
 * When to try next to acquire or release the Lease: at once, after a retry period with
 * jitter, or, while calls keep failing, ever later.
 */
final class LeasePace {

	private static final int MOST_DOUBLINGS = 8;

	private final RenewalTimings timings;

	private final LeaseClock clock;

	private final DoubleSupplier random;

	private Moment from;

	private Duration delay = Duration.ZERO;

	private int failures;

	LeasePace(RenewalTimings timings, LeaseClock clock, DoubleSupplier random) {
		this.timings = timings;
		this.clock = clock;
		this.random = random;
		this.from = clock.now();
	}

	/** How long to wait; zero or negative if the time has come. */
	Duration untilDue() {
		return this.delay.minus(this.clock.now().observedSince(this.from));
	}

	void now() {
		after(Duration.ZERO);
	}

	/** At once, as if nothing had failed before. */
	void restart() {
		this.failures = 0;
		now();
	}

	/** After a retry period, unless an answer says otherwise. */
	void whateverComes() {
		after(this.timings.retryPeriod());
	}

	/** After a retry period, or sooner if there is a reason to look again then. */
	void retryWithin(Duration most) {
		this.failures = 0;
		Duration retry = this.timings.retryAfter(this.random.getAsDouble());
		after((retry.compareTo(most) < 0) ? retry : most);
	}

	/** Doubles the retry period with each failure, up to the duration of the Lease. */
	void backOff() {
		Duration retry = this.timings.retryAfter(this.random.getAsDouble())
			.multipliedBy(1L << Math.min(this.failures++, MOST_DOUBLINGS));
		Duration most = this.timings.leaseDuration();
		after((retry.compareTo(most) < 0) ? retry : most);
	}

	private void after(Duration wait) {
		this.from = this.clock.now();
		this.delay = wait;
	}

}
