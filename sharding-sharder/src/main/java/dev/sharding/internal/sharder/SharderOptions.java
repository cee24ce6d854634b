package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.Set;

import dev.sharding.internal.sharder.assignment.placement.AssignmentMode;
import dev.sharding.internal.sharder.assignment.placement.DrainBudget;
import dev.sharding.internal.sharder.assignment.placement.DrainPatience;
import dev.sharding.internal.sharder.shardlease.LeaseTrust;
import io.fabric8.kubernetes.api.model.LabelSelector;
import org.jspecify.annotations.Nullable;

/**
 * How a sharder works.
 *
 * @param syncPeriod time between the end of a resync of a ring and the next
 * @param concurrentMoves number of patches in flight per ring
 * @param excludedNamespaces namespaces whose objects are left alone by rings that have no
 * namespace selector
 * @param namespaceSelector selects the namespaces for such rings instead, if it is not
 * {@code null}
 * @param mode who assigns objects that have no shard
 * @param drainPatience how long a shard may take to let go of an object
 * @param leaseTrust which Leases make a shard a member of its ring
 * @param drainBudget how fast shards are asked to let go of objects
 * @param settle the time within which shards that come make one change: each of them
 * starts it anew, at most five times over; zero to wait for nobody
 */
public record SharderOptions(Duration syncPeriod, int concurrentMoves, Set<String> excludedNamespaces,
		@Nullable LabelSelector namespaceSelector, AssignmentMode mode, DrainPatience drainPatience,
		LeaseTrust leaseTrust, DrainBudget drainBudget, Duration settle) {

	/**
	 * By default, shards that come within three seconds of each other make one change.
	 */
	public static final Duration SETTLE = Duration.ofSeconds(3);

	private static final Duration LONGEST_SETTLE = Duration.ofMinutes(1);

	/** Every 5 minutes, 100 patches, all namespaces but those of the systems. */
	public static final SharderOptions DEFAULT = new SharderOptions(Duration.ofMinutes(5), 100,
			Set.of("kube-system", "sharding-system"));

	public SharderOptions {
		if (syncPeriod.isNegative() || syncPeriod.isZero()) {
			throw new IllegalArgumentException("'syncPeriod' must be positive (is %s)".formatted(syncPeriod));
		}
		if (concurrentMoves < 1) {
			throw new IllegalArgumentException("'concurrentMoves' must be positive (is %d)".formatted(concurrentMoves));
		}
		requireSettle(settle);
		excludedNamespaces = Set.copyOf(excludedNamespaces);
	}

	/**
	 * Checks the property {@code sharding.sharder.settle}.
	 * @param settle its value
	 * @return the value
	 * @throws IllegalArgumentException if it is negative or above a minute
	 */
	public static Duration requireSettle(Duration settle) {
		if (settle.isNegative() || settle.compareTo(LONGEST_SETTLE) > 0) {
			throw new IllegalArgumentException(
					"'sharding.sharder.settle' must be from 0s to 1m (is %s)".formatted(settle));
		}
		return settle;
	}

	/**
	 * Options of mode {@code watch}.
	 * @param syncPeriod time between the end of a resync of a ring and the next
	 * @param concurrentMoves number of patches in flight per ring
	 * @param excludedNamespaces namespaces whose objects are left alone by rings that
	 * have no namespace selector
	 */
	public SharderOptions(Duration syncPeriod, int concurrentMoves, Set<String> excludedNamespaces) {
		this(syncPeriod, concurrentMoves, excludedNamespaces, null, AssignmentMode.WATCH, DrainPatience.DEFAULT,
				LeaseTrust.DEFAULT, DrainBudget.NONE, SETTLE);
	}

	/**
	 * These options with another mode.
	 * @param other who assigns objects that have no shard
	 * @return the options
	 */
	public SharderOptions withMode(AssignmentMode other) {
		return new SharderOptions(this.syncPeriod, this.concurrentMoves, this.excludedNamespaces,
				this.namespaceSelector, other, this.drainPatience, this.leaseTrust, this.drainBudget, this.settle);
	}

	/**
	 * These options with another patience.
	 * @param other how long a shard may take to let go of an object
	 * @return the options
	 */
	public SharderOptions withDrainPatience(DrainPatience other) {
		return new SharderOptions(this.syncPeriod, this.concurrentMoves, this.excludedNamespaces,
				this.namespaceSelector, this.mode, other, this.leaseTrust, this.drainBudget, this.settle);
	}

	/**
	 * These options with other Leases that count.
	 * @param other which Leases make a shard a member of its ring
	 * @return the options
	 */
	public SharderOptions withLeaseTrust(LeaseTrust other) {
		return new SharderOptions(this.syncPeriod, this.concurrentMoves, this.excludedNamespaces,
				this.namespaceSelector, this.mode, this.drainPatience, other, this.drainBudget, this.settle);
	}

	/**
	 * These options with another pace of drains.
	 * @param other how fast shards are asked to let go of objects
	 * @return the options
	 */
	public SharderOptions withDrainBudget(DrainBudget other) {
		return new SharderOptions(this.syncPeriod, this.concurrentMoves, this.excludedNamespaces,
				this.namespaceSelector, this.mode, this.drainPatience, this.leaseTrust, other, this.settle);
	}

	/**
	 * These options with other namespaces for rings that do not select any.
	 * @param selector selects them; {@code null} for all but the excluded ones
	 * @return the options
	 */
	public SharderOptions withNamespaceSelector(@Nullable LabelSelector selector) {
		return new SharderOptions(this.syncPeriod, this.concurrentMoves, this.excludedNamespaces, selector, this.mode,
				this.drainPatience, this.leaseTrust, this.drainBudget, this.settle);
	}

	/**
	 * These options with another sync period.
	 * @param period a positive duration
	 * @return the options
	 */
	public SharderOptions withSyncPeriod(Duration period) {
		return new SharderOptions(period, this.concurrentMoves, this.excludedNamespaces, this.namespaceSelector,
				this.mode, this.drainPatience, this.leaseTrust, this.drainBudget, this.settle);
	}

	/**
	 * These options with another number of patches in flight.
	 * @param moves a positive number
	 * @return the options
	 */
	public SharderOptions withConcurrentMoves(int moves) {
		return new SharderOptions(this.syncPeriod, moves, this.excludedNamespaces, this.namespaceSelector, this.mode,
				this.drainPatience, this.leaseTrust, this.drainBudget, this.settle);
	}

	/**
	 * These options with another settle time.
	 * @param other the time within which shards that come make one change
	 * @return the options
	 */
	public SharderOptions withSettle(Duration other) {
		return new SharderOptions(this.syncPeriod, this.concurrentMoves, this.excludedNamespaces,
				this.namespaceSelector, this.mode, this.drainPatience, this.leaseTrust, this.drainBudget, other);
	}

}
