package dev.sharding.internal.sharder.activity;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.sharding.internal.sharder.activity.RingWork.Count;
import dev.sharding.internal.sharder.activity.Transit.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what the leader sees and does in one ring anyway, in bounds: counts, the latest
 * actions, and the objects that are not where they belong. Safe for use by many threads.
 */
public final class RingActivity {

	static final int LATEST = 100;

	static final int SHOWN = 200;

	private static final int REMEMBERED = 10_000;

	private final InstantSource clock;

	private final Map<String, Tally> tallies = new TreeMap<>();

	private final Deque<Action> latest = new ArrayDeque<>();

	private final Map<ObjectRef, Seen> transits = new LinkedHashMap<>();

	private long number;

	private int passes;

	/**
	 * Creates an account in which nothing has happened.
	 * @param clock says when things happen
	 */
	public RingActivity(InstantSource clock) {
		this.clock = clock;
	}

	/**
	 * The work on the ring begins, maybe anew.
	 * @param resources what is shared out from now on
	 */
	public synchronized void begin(Collection<String> resources) {
		this.tallies.keySet().retainAll(resources);
		this.transits.clear();
	}

	/**
	 * A list of all objects of a resource is about to begin.
	 * @param resource the resource
	 * @return is told of its pages; an earlier one does not count any more
	 */
	public synchronized Listing listing(String resource) {
		Tally tally = tally(resource);
		return new Listing(tally, tally.begin());
	}

	/**
	 * A patch of a main object has succeeded.
	 * @param kind what it did
	 * @param object to which object
	 * @param from the shard that had it
	 * @param to the shard that has it now; not for {@link Action.Kind#ASKED}, which
	 * changes no owner
	 * @param version that of the object since
	 */
	public synchronized void done(Action.Kind kind, ObjectRef object, @Nullable String from, @Nullable String to,
			String version) {
		@Nullable String had = from;
		if (kind != Action.Kind.ASKED) {
			Seen seen = this.transits.remove(object);
			if (from == null && seen != null && seen.transit.kind() == Kind.DRAINING) {
				// The watch of drains is behind that of objects without owner.
				had = seen.transit.owner();
				happened(Action.Kind.LET_GO, object, had, null);
			}
			changed(object.resource(), had, to, version);
		}
		happened(kind, object, from, to);
	}

	/**
	 * An object has changed hands that goes with another one.
	 * @param resource its resource
	 * @param from the shard that had it
	 * @param to the shard that has it now
	 * @param version that of the object since
	 */
	public synchronized void changed(String resource, @Nullable String from, @Nullable String to, String version) {
		tally(resource).changed(from, to, version);
	}

	/**
	 * The owner of an object is asked to let go of it.
	 * @param object the object
	 * @param owner its owner
	 */
	public synchronized void draining(ObjectRef object, String owner) {
		see(object, Kind.DRAINING, owner);
	}

	/**
	 * The owner of an object has let go of it, or it is gone.
	 * @param object the object
	 * @param owner its owner until then
	 * @param version that of the object since
	 */
	public synchronized void letGo(ObjectRef object, String owner, String version) {
		// Otherwise the leader itself has moved it, and said so.
		if (isKnown(object, Kind.DRAINING)) {
			this.transits.remove(object);
			happened(Action.Kind.LET_GO, object, owner, null);
			changed(object.resource(), owner, null, version);
		}
	}

	/**
	 * No available shard owns an object.
	 * @param object the object
	 * @param owner the shard that its label names
	 */
	public synchronized void unowned(ObjectRef object, @Nullable String owner) {
		// The watch of drains may be behind, and knows who had it.
		if (!isKnown(object, Kind.DRAINING)) {
			see(object, Kind.UNOWNED, owner);
		}
	}

	/**
	 * An available shard owns an object, or there is none any more.
	 * @param object the object
	 */
	public synchronized void settled(ObjectRef object) {
		if (isKnown(object, Kind.UNOWNED)) {
			this.transits.remove(object);
		}
	}

	/**
	 * All objects were looked at. What was without owner before the pass before this one,
	 * and was not seen since, is gone.
	 */
	public synchronized void passed() {
		this.passes++;
		this.transits.values().removeIf((seen) -> seen.transit.kind() == Kind.UNOWNED && seen.pass < this.passes - 1);
	}

	/**
	 * Returns what goes on.
	 * @return a snapshot
	 */
	public synchronized RingWork work() {
		Map<String, Count> counts = new TreeMap<>();
		this.tallies.forEach((resource, tally) -> counts.put(resource, new Count(tally.since(), tally.counts())));
		Map<String, Integer> draining = new TreeMap<>();
		int unowned = 0;
		for (Seen seen : this.transits.values()) {
			if (seen.transit.kind() == Kind.DRAINING) {
				draining.merge(String.valueOf(seen.transit.owner()), 1, Integer::sum);
			}
			else {
				unowned++;
			}
		}
		List<Transit> oldest = this.transits.values()
			.stream()
			.map(Seen::transit)
			.sorted(Comparator.comparing(Transit::since))
			.limit(SHOWN)
			.toList();
		return new RingWork(counts, draining, oldest, unowned, new ArrayList<>(this.latest));
	}

	private boolean isKnown(ObjectRef object, Kind kind) {
		Seen seen = this.transits.get(object);
		return seen != null && seen.transit.kind() == kind;
	}

	private void see(ObjectRef object, Kind kind, @Nullable String owner) {
		Seen before = this.transits.get(object);
		if (before == null && this.transits.size() >= REMEMBERED) {
			return;
		}
		Instant since = (before != null && before.transit.kind() == kind) ? before.transit.since()
				: this.clock.instant();
		this.transits.put(object, new Seen(new Transit(object, kind, owner, since), this.passes));
	}

	private void happened(Action.Kind kind, ObjectRef object, @Nullable String from, @Nullable String to) {
		if (this.latest.size() >= LATEST) {
			this.latest.removeLast();
		}
		this.latest.addFirst(new Action(++this.number, this.clock.instant(), kind, object, from, to));
	}

	private Tally tally(String resource) {
		return this.tallies.computeIfAbsent(resource, (name) -> new Tally());
	}

	/* After how many passes it was seen last. */
	private record Seen(Transit transit, int pass) {
	}

	/**
	 * A list that is under way.
	 */
	public final class Listing {

		private final Tally tally;

		private final Tally.Count count;

		private Listing(Tally tally, Tally.Count count) {
			this.tally = tally;
			this.count = count;
		}

		/**
		 * A page has come.
		 * @param version that of the list
		 * @param first whether the list begins with it
		 * @param owners the shard that each of its objects has, empty for none
		 */
		public void page(String version, boolean first, List<String> owners) {
			synchronized (RingActivity.this) {
				this.tally.page(this.count, version, first, owners);
			}
		}

		/**
		 * No further page comes.
		 * @param complete whether all objects were listed
		 */
		public void end(boolean complete) {
			synchronized (RingActivity.this) {
				this.tally.end(this.count, complete, RingActivity.this.clock.instant());
			}
		}

	}

}
