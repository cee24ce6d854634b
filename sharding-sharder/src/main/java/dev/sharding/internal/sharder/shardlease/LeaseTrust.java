package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseTimes;
import dev.sharding.resource.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Which Leases make a shard a member of its ring.
 *
 * @param longest the longest duration that is believed, in whole seconds; the shards must
 * not believe a longer one
 * @param namespaces the namespaces whose Leases count; empty for all
 */
public record LeaseTrust(Duration longest, Set<String> namespaces) {

	/** At most ten minutes, and all namespaces, as in the Go project. */
	public static final LeaseTrust DEFAULT = new LeaseTrust(LeaseTimes.LONGEST, Set.of());

	/**
	 * The properties {@code sharding.sharder.max-lease-duration} and
	 * {@code lease-namespaces}.
	 */
	public LeaseTrust {
		if (longest.getNano() != 0 || longest.isNegative() || longest.isZero()
				|| longest.compareTo(Duration.ofDays(1)) > 0) {
			throw new IllegalArgumentException(
					"'sharding.sharder.max-lease-duration' must be whole seconds, from 1s to 1d (is %s)"
						.formatted(longest));
		}
		namespaces = Set.copyOf(namespaces);
	}

	/**
	 * Tells whether Leases of a namespace count at all.
	 * @param namespace the namespace
	 * @return whether they do
	 */
	public boolean admits(String namespace) {
		return this.namespaces.isEmpty() || this.namespaces.contains(namespace);
	}

	/** Why a Lease makes no member, {@code null} if it makes one. */
	@Nullable String doubt(ObjectKey lease, LeaseRecord record) {
		if (!admits(lease.namespace())) {
			return "its namespace is none of 'sharding.sharder.lease-namespaces' (%s), so it is no member; if it is a shard's, add the namespace there"
				.formatted(String.join(", ", new TreeSet<>(this.namespaces)));
		}
		return record.isBelieved(this.longest) ? null
				: "its duration of %d s is above 'sharding.sharder.max-lease-duration' (%d s), so it is no member; shorten the duration of the shard, or delete the Lease if it is nobody's"
					.formatted(record.leaseDurationSeconds(), this.longest.toSeconds());
	}

}
