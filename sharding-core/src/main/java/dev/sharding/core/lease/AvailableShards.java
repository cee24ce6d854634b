package dev.sharding.core.lease;

import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which shards of a ring may own objects, that is, who is on its hash ring (protocol
 * section 2.7).
 */
public final class AvailableShards {

	private AvailableShards() {
	}

	/**
	 * Returns the available shards of a ring.
	 * @param leases all Leases of the ring, of any namespace
	 * @param vanished the Leases of the ring that were seen to vanish
	 * @param now the current moment
	 * @return the names of the shards, sorted
	 */
	public static SortedSet<String> of(Collection<LeaseRecord> leases, Collection<VanishedLease> vanished, Moment now) {
		SortedSet<String> available = new TreeSet<>();
		for (LeaseRecord lease : leases) {
			if (ShardState.of(lease, now.wall()).isAvailable()) {
				available.add(lease.name());
			}
		}
		for (VanishedLease lease : vanished) {
			if (lease.isAvailable(now)) {
				available.add(lease.lease().name());
			}
		}
		return available;
	}

}
