package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.sharding.internal.sharder.assignment.placement.PatchQueue.Call;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue.Priority;
import org.jspecify.annotations.Nullable;

/**
 * Says which call is next, by what waits and what is in flight. The first one that came
 * of the highest priority is, as long as there is room.
 * <p>
 * A call that hangs, such as in the admission of its object, takes no room from others:
 * after a while it counts apart. So do then all calls about the same resource, of which a
 * few at a time are made until one is answered soon again, in the order in which they
 * came.
 */
final class PatchLanes {

	/* Who takes longer does not wait for its turn, but for something else. */
	static final Duration HANGS = Duration.ofSeconds(1);

	private final Map<Object, Lane> lanes = new LinkedHashMap<>();

	/* In flight, and not known to hang; oldest first. */
	private final Set<Flight> young = new LinkedHashSet<>();

	private final InFlightLimit limit;

	private long added;

	private int inFlight;

	PatchLanes(InFlightLimit limit) {
		this.limit = limit;
	}

	void add(Priority priority, Object resource, Call call) {
		this.lanes.computeIfAbsent(resource, (same) -> new Lane())
			.waiting(priority)
			.add(new Waiting(this.added++, call));
	}

	/** The number of calls that wait or are in flight. */
	int size() {
		return this.inFlight + this.lanes.values().stream().mapToInt(Lane::waiting).sum();
	}

	/** The number of calls in flight that hang. */
	int hanging(long now) {
		tellHanging(now);
		return this.lanes.values().stream().mapToInt((lane) -> lane.hanging).sum();
	}

	boolean isIdle() {
		return this.inFlight == 0;
	}

	/** Takes out what waits. */
	List<Call> drop(Set<Priority> priorities) {
		List<Call> drops = new ArrayList<>();
		for (Lane lane : this.lanes.values()) {
			for (Priority priority : priorities) {
				lane.waiting(priority).forEach((waiting) -> drops.add(waiting.call));
				lane.waiting(priority).clear();
			}
		}
		return drops;
	}

	/** The next call, in flight from now on; {@code null} if none may start. */
	@Nullable Flight next(long now) {
		tellHanging(now);
		int room = this.limit.limit()
				- this.lanes.values().stream().filter((lane) -> !lane.slow).mapToInt((lane) -> lane.running).sum();
		for (Priority priority : Priority.values()) {
			Lane next = null;
			long number = Long.MAX_VALUE;
			for (Lane lane : this.lanes.values()) {
				Waiting first = lane.first(priority);
				if (first != null && first.number < number && lane.isOpen(room, this.limit.lowest())) {
					next = lane;
					number = first.number;
				}
			}
			if (next != null) {
				Flight flight = new Flight(next, next.waiting(priority).remove().call, now);
				next.running++;
				this.inFlight++;
				this.young.add(flight);
				return flight;
			}
		}
		return null;
	}

	private void tellHanging(long now) {
		for (Iterator<Flight> oldest = this.young.iterator(); oldest.hasNext();) {
			Flight flight = oldest.next();
			if (now - flight.started < HANGS.toNanos()) {
				return;
			}
			oldest.remove();
			flight.lane.running--;
			flight.lane.hanging++;
			flight.lane.slow = true;
		}
	}

	/**
	 * When there may be more room although no call ended.
	 * @return after how long; {@code null} if nobody waits for that
	 */
	@Nullable Duration untilOneHangs(long now) {
		Iterator<Flight> oldest = this.young.iterator();
		boolean waiting = this.lanes.values().stream().anyMatch((lane) -> lane.waiting() > 0);
		return (waiting && oldest.hasNext()) ? HANGS.minusNanos(now - oldest.next().started) : null;
	}

	/**
	 * A call is not in flight any more.
	 * @param asked whether it asked somebody else
	 */
	void ended(Flight flight, boolean asked, long now) {
		this.inFlight--;
		if (!this.young.remove(flight)) {
			flight.lane.hanging--;
			return;
		}
		flight.lane.running--;
		if (asked) {
			this.limit.answered(now - flight.started);
			flight.lane.slow &= now - flight.started >= HANGS.toNanos();
		}
	}

	private record Waiting(long number, Call call) {
	}

	/**
	 * A call in flight.
	 */
	static final class Flight {

		private final Lane lane;

		private final Call call;

		private final long started;

		private Flight(Lane lane, Call call, long started) {
			this.lane = lane;
			this.call = call;
			this.started = started;
		}

		Call call() {
			return this.call;
		}

	}

	/**
	 * The calls about one resource.
	 */
	private static final class Lane {

		private final Map<Priority, Deque<Waiting>> waiting = new EnumMap<>(Priority.class);

		private int running;

		private int hanging;

		/* One hung, and none was answered soon since. */
		private boolean slow;

		private Lane() {
			for (Priority priority : Priority.values()) {
				this.waiting.put(priority, new ArrayDeque<>());
			}
		}

		private Deque<Waiting> waiting(Priority priority) {
			return Objects.requireNonNull(this.waiting.get(priority));
		}

		/* What hangs is made again and again, and would be first for ever by priority. */
		private @Nullable Waiting first(Priority priority) {
			Waiting first = waiting(priority).peek();
			if (first != null && this.slow) {
				for (Deque<Waiting> others : this.waiting.values()) {
					Waiting other = others.peek();
					if (other != null && other.number < first.number) {
						return null;
					}
				}
			}
			return first;
		}

		private int waiting() {
			return this.waiting.values().stream().mapToInt(Deque::size).sum();
		}

		private boolean isOpen(int room, int apart) {
			return this.slow ? this.running + this.hanging < apart : room > 0 && this.hanging < apart;
		}

	}

}
