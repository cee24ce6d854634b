package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which shards were available when: those whose Lease says that they hold it themselves,
 * until two durations have passed since they renewed it last, by their clock if that is
 * ahead (docs/protocol, section 3.2: ready, expired and uncertain are available), or
 * since somebody else but the sharder has edited or deleted it, after which nobody knows
 * who acts. What was given back is a member while its objects {@link Waits wait}, but
 * nobody who could be asked for anything.
 */
final class Membership {

	/** How long a leader may take for its first look at the Leases. */
	private static final Duration FIRST_LOOK = Duration.ofSeconds(1);

	private static final Duration UNPROVEN = Duration.ofSeconds(15);

	private final NavigableMap<Instant, Set<String>> held = new TreeMap<>();

	private final NavigableMap<Instant, Set<String>> members = new TreeMap<>();

	Membership(ShardLeases leases, History history, Leadership leadership) {
		List<Change> changes = new ArrayList<>();
		Waits waits = new Waits();
		for (String shard : leases.shards()) {
			for (ObjectRef lease : leases.of(shard)) {
				changes.addAll(changes(shard, history.visible(lease), leadership, waits));
			}
		}
		changes.sort(Comparator.comparing(Change::at));
		Set<String> current = new TreeSet<>();
		for (Change change : changes) {
			boolean changed = change.available() ? current.add(change.shard()) : current.remove(change.shard());
			if (changed) {
				this.held.put(change.at(), Set.copyOf(current));
			}
			if (!change.available()) {
				waits.lost(change.shard(), change.at());
			}
			else if (changed || change.anew()) {
				waits.held(change.shard(), change.at());
			}
		}
		addMembers(waits.all());
	}

	private void addMembers(List<Waits.Wait> waits) {
		NavigableSet<Instant> times = new TreeSet<>(this.held.keySet());
		waits.forEach((wait) -> times.addAll(List.of(wait.from(), wait.to())));
		for (Instant time : times) {
			Set<String> members = new TreeSet<>(heldAt(time));
			waits.stream()
				.filter((wait) -> !time.isBefore(wait.from()) && time.isBefore(wait.to()))
				.forEach((wait) -> members.add(wait.shard()));
			this.members.put(time, Set.copyOf(members));
		}
	}

	private static List<Change> changes(String shard, List<Revision> revisions, Leadership leadership, Waits waits) {
		List<Change> changes = new ArrayList<>();
		Instant alive = null;
		Duration duration = Duration.ZERO;
		boolean proven = false;
		String holder = "";
		Revision before = null;
		Revision waited = null;
		for (Revision revision : revisions) {
			boolean taken = revision.isTakenFrom(shard, before);
			before = revision;
			if (waited != null && !waited.lease().equals(revision.lease())) {
				waits.add(shard, waited, revision.completed());
				waited = null;
			}
			boolean own = shard.equals(revision.cause().shard());
			if (alive != null && revision.completed().isAfter(death(alive, duration, proven, leadership))) {
				Instant dead = death(alive, duration, proven, leadership);
				changes.addAll(deaths(shard, dead, revision.completed(), duration, leadership));
				alive = null;
			}
			if (own && revision.isHeldBy(shard)) {
				changes.add(new Change(revision.completed(), shard, true, !holder.equals(revision.cause().user())));
				holder = revision.cause().user();
				proven = alive != null;
				alive = renewal(revision);
				duration = Duration.ofSeconds(revision.lease().durationSeconds());
			}
			else if (revision.body() != null && (taken || own && !revision.isHeldBy(shard))) {
				changes.add(new Change(revision.completed(), shard, false, false));
				alive = null;
				waited = revision;
			}
			else if (!own && !revision.cause().bySharder() && alive != null) {
				alive = revision.completed();
			}
		}
		if (alive != null) {
			Instant dead = death(alive, duration, proven, leadership);
			changes.addAll(deaths(shard, dead, Instant.MAX, duration, leadership));
		}
		if (waited != null) {
			waits.add(shard, waited, Instant.MAX);
		}
		return changes;
	}

	/**
	 * A leader that begins before its predecessor has done anything about a dead shard
	 * has to see for itself that the Lease is not renewed.
	 * @param until when the Lease is written again
	 */
	private static List<Change> deaths(String shard, Instant dead, Instant until, Duration duration,
			Leadership leadership) {
		List<Change> changes = new ArrayList<>(List.of(new Change(dead, shard, false, false)));
		List<Instant> terms = leadership.begunBetween(dead, until);
		for (int i = 0; i < terms.size(); i++) {
			Instant seen = terms.get(i).plus((duration.compareTo(UNPROVEN) > 0) ? duration : UNPROVEN);
			changes.add(new Change(terms.get(i), shard, true, true));
			if (i + 1 == terms.size() || seen.isBefore(terms.get(i + 1))) {
				changes.add(new Change(seen.isBefore(until) ? seen : until, shard, false, false));
			}
		}
		return changes;
	}

	/** A shard whose clock is ahead is believed for as much longer. */
	private static Instant renewal(Revision revision) {
		Instant written = revision.lease().renewed();
		return (written != null && written.isAfter(revision.completed())) ? written : revision.completed();
	}

	/**
	 * A leader that has just begun has to see a Lease unchanged for a duration itself,
	 * and for 15 s at least where it has seen no renewal, as somebody may have made the
	 * duration shorter. Likewise whoever has not renewed at all is believed for 15 s.
	 */
	private static Instant death(Instant alive, Duration duration, boolean proven, Leadership leadership) {
		Duration twice = duration.multipliedBy(2);
		Instant dead = alive.plus(proven || twice.compareTo(UNPROVEN) > 0 ? twice : UNPROVEN);
		Instant began = leadership.beganAt(dead);
		while (true) {
			boolean renewed = alive.isAfter(began.plus(FIRST_LOOK));
			Instant seen = began.plus(renewed || duration.compareTo(UNPROVEN) > 0 ? duration : UNPROVEN);
			dead = seen.isAfter(dead) ? seen : dead;
			Instant next = leadership.beganAt(dead);
			if (next.equals(began)) {
				return dead;
			}
			began = next;
		}
	}

	/**
	 * The shards that could own objects at that time: those that were available, and
	 * those whose objects waited.
	 */
	Set<String> at(Instant time) {
		return floor(this.members, time);
	}

	/** Those that were available. */
	Set<String> heldAt(Instant time) {
		return floor(this.held, time);
	}

	private static Set<String> floor(NavigableMap<Instant, Set<String>> sets, Instant time) {
		Map.Entry<Instant, Set<String>> entry = sets.floorEntry(time);
		return (entry != null) ? entry.getValue() : Set.of();
	}

	/** The moments of change after {@code from} and before {@code to}. */
	Set<Instant> changes(Instant from, Instant to) {
		return from.isBefore(to) ? this.members.subMap(from, false, to, false).keySet() : Set.of();
	}

	/**
	 * @param anew whether it is another process that is available than before
	 */
	private record Change(Instant at, String shard, boolean available, boolean anew) {
	}

}
