package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.time.Instant;

/**
 * How long until a Lease enters its next states, counted from the {@code now} that it was
 * asked for; zero or negative if the time has come (protocol section 3.1). The times hold
 * for the record alone, whoever holds it.
 *
 * @param leaseDuration the duration that counts: the one of the record, or 15 s if the
 * record is incomplete
 * @param toExpired until one duration after the last renewal
 * @param toUncertain until two durations after the last renewal
 * @param toOrphaned until one duration and a minute after the last renewal
 */
public record LeaseTimes(Duration leaseDuration, Duration toExpired, Duration toUncertain, Duration toOrphaned) {

	/** The longest duration that is believed unless something else is configured. */
	public static final Duration LONGEST = Duration.ofMinutes(10);

	private static final Duration DEFAULT_DURATION = Duration.ofSeconds(15);

	private static final Duration EXPIRED_TO_ORPHANED = Duration.ofMinutes(1);

	/**
	 * Returns the times of a Lease.
	 * @param lease what the Lease says
	 * @param now the current wall time
	 * @return its times; a record without acquireTime, renewTime or duration expires now
	 */
	public static LeaseTimes of(LeaseRecord lease, Instant now) {
		Instant renewTime = lease.renewTime();
		Integer seconds = lease.leaseDurationSeconds();
		if (lease.acquireTime() == null || renewTime == null || seconds == null) {
			return of(DEFAULT_DURATION, Duration.ZERO);
		}
		Duration duration = Duration.ofSeconds(seconds);
		return of(duration, Duration.between(now, renewTime.plus(duration)));
	}

	private static LeaseTimes of(Duration duration, Duration toExpired) {
		return new LeaseTimes(duration, toExpired, toExpired.plus(duration), toExpired.plus(EXPIRED_TO_ORPHANED));
	}

}
