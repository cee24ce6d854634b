package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which shards were available when: those whose Lease says that they hold it themselves,
 * until two durations have passed since they renewed it last (docs/protocol, section 3.2:
 * ready, expired and uncertain are available). That a Lease is deleted while its shard
 * holds it changes nothing.
 */
final class Membership {

	private final NavigableMap<Instant, Set<String>> available = new TreeMap<>();

	Membership(ShardLeases leases, History history, Leadership leadership) {
		List<Change> changes = new ArrayList<>();
		for (String shard : leases.shards()) {
			for (ObjectRef lease : leases.of(shard)) {
				changes.addAll(changes(shard, history.visible(lease), leadership));
			}
		}
		changes.sort((a, b) -> a.at().compareTo(b.at()));
		Set<String> current = new TreeSet<>();
		for (Change change : changes) {
			boolean changed = change.available() ? current.add(change.shard()) : current.remove(change.shard());
			if (changed) {
				this.available.put(change.at(), Set.copyOf(current));
			}
		}
	}

	private static List<Change> changes(String shard, List<Revision> revisions, Leadership leadership) {
		List<Change> changes = new ArrayList<>();
		Revision renewal = null;
		for (Revision revision : revisions) {
			if (renewal != null && revision.completed().isAfter(death(renewal, leadership))) {
				changes.add(new Change(death(renewal, leadership), shard, false));
				renewal = null;
			}
			if (shard.equals(revision.cause().shard()) && revision.isHeldBy(shard)) {
				changes.add(new Change(revision.completed(), shard, true));
				renewal = revision;
			}
			else if (revision.body() != null && !revision.isHeldBy(shard)) {
				changes.add(new Change(revision.completed(), shard, false));
				renewal = null;
			}
		}
		if (renewal != null) {
			changes.add(new Change(death(renewal, leadership), shard, false));
		}
		return changes;
	}

	/**
	 * A leader that has just begun has to see a Lease unchanged for a duration itself.
	 */
	private static Instant death(Revision renewal, Leadership leadership) {
		Duration duration = Duration.ofSeconds(renewal.lease().durationSeconds());
		Instant dead = renewal.completed().plus(duration.multipliedBy(2));
		Instant seen = leadership.beganAt(dead).plus(duration);
		return seen.isAfter(dead) ? seen : dead;
	}

	/** The shards that were available at that time. */
	Set<String> at(Instant time) {
		Map.Entry<Instant, Set<String>> entry = this.available.floorEntry(time);
		return (entry != null) ? entry.getValue() : Set.of();
	}

	/** The moments of change after {@code from} and before {@code to}. */
	Set<Instant> changes(Instant from, Instant to) {
		return from.isBefore(to) ? this.available.subMap(from, false, to, false).keySet() : Set.of();
	}

	private record Change(Instant at, String shard, boolean available) {
	}

}
