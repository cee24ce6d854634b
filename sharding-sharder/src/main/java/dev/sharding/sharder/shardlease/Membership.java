package dev.sharding.sharder.shardlease;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.sharding.core.ring.HashRing;

/**
 * The shards of one ring at one moment.
 *
 * @param leases number of Leases that carry the label of the ring and are believed,
 * whatever their state; one that vanished counts as long as its shard counts as available
 * @param available the shards to which objects may be assigned
 * @param cordoned those of them that are cordoned
 * @param invalid Leases that are no shards, are not believed, or name a shard twice, with
 * the reason; sorted by namespace/name
 * @param unstamped available shards that put no shard label on what they create, because
 * they are not ours
 * @param refused Leases that the API server does not let us serve, with the reason
 */
public record Membership(int leases, SortedSet<String> available, SortedSet<String> cordoned,
		SortedMap<String, String> invalid, SortedSet<String> unstamped, SortedMap<String, String> refused) {

	/** A ring without any Lease. */
	public static final Membership EMPTY = new Membership(0, Collections.emptySortedSet(), Collections.emptySortedSet(),
			Collections.emptySortedMap(), Collections.emptySortedSet(), Collections.emptySortedMap());

	public Membership {
		available = Collections.unmodifiableSortedSet(new TreeSet<>(available));
		cordoned = Collections.unmodifiableSortedSet(new TreeSet<>(cordoned));
		invalid = Collections.unmodifiableSortedMap(new TreeMap<>(invalid));
		unstamped = Collections.unmodifiableSortedSet(new TreeSet<>(unstamped));
		refused = Collections.unmodifiableSortedMap(new TreeMap<>(refused));
	}

	/**
	 * Returns who gets what.
	 * @return the hash ring of the available shards
	 */
	public HashRing hashRing() {
		return HashRing.of(this.available, this.cordoned);
	}

}
