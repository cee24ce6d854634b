package dev.sharding.internal.sharder.shardlease;

import java.util.Collections;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.sharding.internal.core.assignment.HashRing;

/**
 * The shards of one ring at one moment.
 *
 * @param leases number of Leases that carry the label of the ring and are believed,
 * whatever their state; one that vanished counts as long as its shard counts as available
 * @param available the shards that hold their Leases
 * @param cordoned members that are cordoned
 * @param invalid Leases that are no shards, are not believed, or name a shard twice, with
 * the reason; sorted by namespace/name
 * @param unstamped available shards that put no shard label on what they create, because
 * they are not ours
 * @param refused Leases that the API server does not let us serve, with the reason
 * @param settling those of the available shards that came lately: they keep what they
 * have, and nothing belongs to them yet
 * @param givenBack members that nobody holds: what belongs to them waits for their next
 * holder
 */
public record Membership(int leases, SortedSet<String> available, SortedSet<String> cordoned,
		SortedMap<String, String> invalid, SortedSet<String> unstamped, SortedMap<String, String> refused,
		SortedSet<String> settling, SortedSet<String> givenBack) {

	/** A ring without any Lease. */
	public static final Membership EMPTY = new Membership(0, Collections.emptySortedSet(), Collections.emptySortedSet(),
			Collections.emptySortedMap(), Collections.emptySortedSet(), Collections.emptySortedMap(),
			Collections.emptySortedSet(), Collections.emptySortedSet());

	public Membership {
		available = Collections.unmodifiableSortedSet(new TreeSet<>(available));
		cordoned = Collections.unmodifiableSortedSet(new TreeSet<>(cordoned));
		invalid = Collections.unmodifiableSortedMap(new TreeMap<>(invalid));
		unstamped = Collections.unmodifiableSortedSet(new TreeSet<>(unstamped));
		refused = Collections.unmodifiableSortedMap(new TreeMap<>(refused));
		settling = Collections.unmodifiableSortedSet(new TreeSet<>(settling));
		givenBack = Collections.unmodifiableSortedSet(new TreeSet<>(givenBack));
	}

	/**
	 * Returns the available shards that are cordoned.
	 * @return their names, sorted
	 */
	public SortedSet<String> cordonedAvailable() {
		SortedSet<String> both = new TreeSet<>(this.cordoned);
		both.retainAll(this.available);
		return both;
	}

	/**
	 * Returns the members that have their part of the objects, whether anybody holds them
	 * or not.
	 * @return their names, sorted
	 */
	SortedSet<String> settled() {
		SortedSet<String> settled = new TreeSet<>(this.available);
		settled.removeAll(this.settling);
		settled.addAll(this.givenBack);
		return settled;
	}

	/**
	 * Returns who gets what.
	 * @return the hash ring of the members
	 */
	public HashRing hashRing() {
		return hashRing(HashRing.of(Set.of()));
	}

	/**
	 * Returns who gets what.
	 * @param before an earlier ring of them, out of which this one is made
	 * @return the hash ring of the members
	 */
	public HashRing hashRing(HashRing before) {
		SortedSet<String> members = new TreeSet<>(this.available);
		members.addAll(this.givenBack);
		return before.become(members, this.cordoned, this.settling);
	}

}
