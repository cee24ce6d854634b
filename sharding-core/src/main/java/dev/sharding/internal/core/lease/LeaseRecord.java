package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.time.Instant;

import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * What a shard Lease says: its spec and our annotation. Labels, other annotations and the
 * resource version are left to those who read and write it. An absent field is
 * {@code null}.
 *
 * @param name the name of the Lease, which is the name of the shard
 * @param holderIdentity who holds it; {@code null} or empty if released
 * @param acquireTime when its holder acquired it, on the clock of the holder
 * @param renewTime when its holder renewed it last, on the clock of the holder
 * @param leaseDurationSeconds how long the holder may act on it after a renewal
 * @param leaseTransitions how often the holder changed
 * @param instanceId the process that acquired it, if that was a shard of ours
 */
public record LeaseRecord(String name, @Nullable String holderIdentity, @Nullable Instant acquireTime,
		@Nullable Instant renewTime, @Nullable Integer leaseDurationSeconds, @Nullable Integer leaseTransitions,
		@Nullable String instanceId) {

	/**
	 * Tells whether all times are there by which a Lease is judged.
	 * @return {@code false} if one was never written or was taken away
	 */
	public boolean isComplete() {
		return this.acquireTime != null && this.renewTime != null && this.leaseDurationSeconds != null;
	}

	/**
	 * Tells whether the shard counts as what its Lease makes of it: nobody believes in a
	 * Lease for longer than is allowed.
	 * @param longest the longest duration that is believed
	 * @return {@code false} if the shard itself holds the Lease for longer
	 */
	public boolean isBelieved(Duration longest) {
		return !isHeldByItself() || this.leaseDurationSeconds == null
				|| longest.compareTo(Duration.ofSeconds(this.leaseDurationSeconds)) >= 0;
	}

	/**
	 * Returns this record with no longer a duration than those that know what is allowed
	 * believe: our shards, and the sharder, which writes twice the duration of a shard.
	 * What others write stays as it is.
	 * @param longest the longest duration that is believed of a shard
	 * @return the record
	 */
	public LeaseRecord capped(Duration longest) {
		Duration most = isHeldBySharder() ? longest.multipliedBy(2) : longest;
		if (this.instanceId == null || this.leaseDurationSeconds == null
				|| most.compareTo(Duration.ofSeconds(this.leaseDurationSeconds)) >= 0) {
			return this;
		}
		return new LeaseRecord(this.name, this.holderIdentity, this.acquireTime, this.renewTime,
				(int) most.getSeconds(), this.leaseTransitions, this.instanceId);
	}

	/**
	 * Tells whether nobody holds the Lease.
	 * @return {@code true} if there is no holder
	 */
	public boolean isReleased() {
		return this.holderIdentity == null || this.holderIdentity.isEmpty();
	}

	/**
	 * Tells whether the shard that the Lease belongs to holds it, whichever process that
	 * is.
	 * @return {@code true} if the holder bears the name of the Lease
	 */
	public boolean isHeldByItself() {
		return this.name.equals(this.holderIdentity);
	}

	/**
	 * Tells whether the sharder has taken the Lease.
	 * @return {@code true} if the sharder holds it
	 */
	public boolean isHeldBySharder() {
		return ShardingLabels.SHARDER_IDENTITY.equals(this.holderIdentity);
	}

}
