package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * The content of a Lease after a write. Times are cut to microseconds, as the API server
 * keeps them, so that a record read back equals the one written.
 */
public final class LeaseWrites {

	private static final int DURATION_AFTER_RELEASE = 1;

	private LeaseWrites() {
	}

	/**
	 * Returns a new Lease of a shard.
	 * @param shard the process that acquires it
	 * @param leaseDuration how long it is valid, in whole seconds
	 * @param now the current wall time
	 * @return the Lease to create
	 */
	public static LeaseRecord create(ShardIdentity shard, Duration leaseDuration, Instant now) {
		return new LeaseRecord(shard.shard(), shard.shard(), micros(now), micros(now), seconds(leaseDuration), 0,
				shard.instanceId());
	}

	/**
	 * Returns a Lease that its holder renews: the term goes on. If somebody took away
	 * since when, it is since now. A clock that was set back may tell the very time that
	 * is written; the renewal then says one microsecond more, as nobody sees a write that
	 * changes nothing, not even the API server.
	 * @param lease what the Lease says
	 * @param leaseDuration how long it is valid from now, in whole seconds
	 * @param now the current wall time
	 * @return the Lease to write
	 */
	public static LeaseRecord renew(LeaseRecord lease, Duration leaseDuration, Instant now) {
		Instant at = micros(now);
		Instant acquired = (lease.acquireTime() != null) ? lease.acquireTime() : at;
		Instant renewed = at.equals(lease.renewTime()) ? at.plus(1, ChronoUnit.MICROS) : at;
		return new LeaseRecord(lease.name(), lease.holderIdentity(), acquired, renewed, seconds(leaseDuration),
				lease.leaseTransitions(), lease.instanceId());
	}

	/**
	 * Returns a Lease that a shard takes over: a new term begins.
	 * @param lease what the Lease says
	 * @param shard the process that acquires it
	 * @param leaseDuration how long it is valid, in whole seconds
	 * @param now the current wall time
	 * @return the Lease to write
	 */
	public static LeaseRecord takeOver(LeaseRecord lease, ShardIdentity shard, Duration leaseDuration, Instant now) {
		return new LeaseRecord(lease.name(), shard.shard(), micros(now), micros(now), seconds(leaseDuration),
				next(lease.leaseTransitions()), shard.instanceId());
	}

	/**
	 * Returns a Lease without holder: the shard is dead at once, and the Lease is deleted
	 * soon.
	 * @param lease what the Lease says
	 * @param now the current wall time
	 * @return the Lease to write
	 */
	public static LeaseRecord release(LeaseRecord lease, Instant now) {
		return new LeaseRecord(lease.name(), "", micros(now), micros(now), DURATION_AFTER_RELEASE,
				lease.leaseTransitions(), lease.instanceId());
	}

	/**
	 * Returns a Lease that the sharder takes: twice as long, so that its shard, if it
	 * comes back, waits until the objects have moved.
	 * @param lease what the Lease says
	 * @param now the current wall time
	 * @return the Lease to write
	 */
	public static LeaseRecord take(LeaseRecord lease, Instant now) {
		return hold(lease, LeaseTimes.of(lease, now).leaseDuration().multipliedBy(2), now);
	}

	/**
	 * Returns a Lease that the sharder holds while the objects of its shard move.
	 * @param lease what the Lease says
	 * @param leaseDuration how long it is valid, in whole seconds
	 * @param now the current wall time
	 * @return the Lease to write
	 */
	public static LeaseRecord hold(LeaseRecord lease, Duration leaseDuration, Instant now) {
		return new LeaseRecord(lease.name(), ShardingLabels.SHARDER_IDENTITY, micros(now), micros(now),
				seconds(leaseDuration), next(lease.leaseTransitions()), lease.instanceId());
	}

	private static int next(@Nullable Integer transitions) {
		return (transitions != null) ? transitions + 1 : 1;
	}

	private static int seconds(Duration duration) {
		return (int) Math.min(duration.getSeconds(), Integer.MAX_VALUE);
	}

	private static Instant micros(Instant instant) {
		return instant.truncatedTo(ChronoUnit.MICROS);
	}

}
