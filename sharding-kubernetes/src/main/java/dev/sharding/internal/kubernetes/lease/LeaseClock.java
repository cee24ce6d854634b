package dev.sharding.internal.kubernetes.lease;

import java.time.InstantSource;
import java.util.function.LongSupplier;

import dev.sharding.internal.core.lease.Moment;

/**
 * The two clocks that a Lease is measured with. Whoever asks whether a term is valid must
 * ask on the clocks of its holder.
 *
 * @param wall the wall clock
 * @param nanos the monotonic clock, in nanoseconds from an arbitrary start
 */
public record LeaseClock(InstantSource wall, LongSupplier nanos) {

	/** The clocks of the machine. */
	public static final LeaseClock SYSTEM = new LeaseClock(InstantSource.system(), System::nanoTime);

	/**
	 * Reads both clocks.
	 * @return the current moment
	 */
	public Moment now() {
		return new Moment(this.wall.instant(), this.nanos.getAsLong());
	}

}
