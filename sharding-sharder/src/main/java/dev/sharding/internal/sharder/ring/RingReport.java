package dev.sharding.internal.sharder.ring;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.sharding.internal.sharder.ring.WebhookReports.Configured;
import org.jspecify.annotations.Nullable;

/**
 * What the sharder found out about a ring: the facts from which its status is made.
 *
 * @param orders what people have asked for
 * @param slots how shards are that wait for a holder, or for others to come
 * @param shards number of Leases of the ring that are believed, whatever their state
 * @param availableShards number of shards to which objects may be assigned
 * @param unreadable resources that could not be listed, watched or patched, with the
 * reason
 * @param invalidShards Leases that are left out, with the reason
 * @param unstampedShards available shards that put no shard label on what they create
 * @param refusedLeases Leases that the API server does not let us serve, with the reason
 * @param stuckDrains shards that do not let go of objects, with what to say about them
 * @param webhook how the webhook configuration of the ring fares; {@code null} if that is
 * not known, or there is no webhook
 * @param memory what to say about memory that is short; {@code null} if there is enough
 * @param progress how far long work has come
 */
public record RingReport(Orders orders, Slots slots, int shards, int availableShards,
		SortedMap<String, String> unreadable, SortedMap<String, String> invalidShards,
		SortedSet<String> unstampedShards, SortedMap<String, String> refusedLeases,
		SortedMap<String, String> stuckDrains, @Nullable Configured webhook, @Nullable String memory,
		Progress progress) {

	public RingReport {
		unreadable = Collections.unmodifiableSortedMap(new TreeMap<>(unreadable));
		invalidShards = Collections.unmodifiableSortedMap(new TreeMap<>(invalidShards));
		unstampedShards = Collections.unmodifiableSortedSet(new TreeSet<>(unstampedShards));
		refusedLeases = Collections.unmodifiableSortedMap(new TreeMap<>(refusedLeases));
		stuckDrains = Collections.unmodifiableSortedMap(new TreeMap<>(stuckDrains));
	}

	/**
	 * How shards are that wait for a holder, or for others to come.
	 *
	 * @param elected whether the sharder leads as it was elected
	 * @param givenBack members that nobody holds
	 * @param settling available shards that get nothing yet
	 */
	public record Slots(boolean elected, SortedSet<String> givenBack, SortedSet<String> settling) {

		/** All members hold their Leases and have their part of the objects. */
		static final Slots NONE = new Slots(true, Collections.emptySortedSet(), Collections.emptySortedSet());

	}

	/**
	 * What people have asked for by annotations.
	 *
	 * @param paused whether objects stay with their available owners
	 * @param cordoned the available shards that are to get nothing
	 */
	public record Orders(boolean paused, SortedSet<String> cordoned) {

		/** No annotation is set. */
		static final Orders NONE = new Orders(false, Collections.emptySortedSet());

	}

	/**
	 * How much has been done since the sharder began to serve the ring. It is told in
	 * large steps, as each is a write of the status.
	 *
	 * @param given how often an object was given to a shard
	 * @param freed how many objects have lost the labels of the ring
	 */
	public record Progress(long given, long freed) {

		/** Nothing worth to be told. */
		static final Progress NONE = new Progress(0, 0);

	}

}
