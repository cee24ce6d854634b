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
 * Which shards were available when: those whose Lease says that they hold it themselves
 * (docs/protocol, section 3.2: ready, expired and uncertain are available). A Lease that
 * somebody deletes while its shard holds it counts for two more durations.
 */
final class Membership {

	private final NavigableMap<Instant, Set<String>> available = new TreeMap<>();

	Membership(RingUnderTest ring, History history) {
		List<Change> changes = new ArrayList<>();
		for (ObjectRef lease : history.objects()) {
			if (lease.resource().equals("leases")) {
				changes.addAll(changes(ring, lease, history.visible(lease)));
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

	private static List<Change> changes(RingUnderTest ring, ObjectRef lease, List<Revision> revisions) {
		List<Change> changes = new ArrayList<>();
		Duration lastDuration = Duration.ZERO;
		boolean held = false;
		for (int i = 0; i < revisions.size(); i++) {
			Revision revision = revisions.get(i);
			Body body = revision.body();
			if (body != null && ring.name().equals(body.labels().get(RingUnderTest.ringLabel()))) {
				held = body.holder().equals(lease.name());
				lastDuration = Duration.ofSeconds(body.durationSeconds());
				changes.add(new Change(revision.completed(), lease.name(), held));
			}
			else if (held) {
				Instant end = revision.completed().plus(lastDuration.multipliedBy(2));
				boolean cameBack = i + 1 < revisions.size() && revisions.get(i + 1).completed().isBefore(end);
				if (!cameBack) {
					changes.add(new Change(end, lease.name(), false));
				}
				held = false;
			}
		}
		return changes;
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
