package dev.sharding.internal.core.qos;

import java.util.ArrayList;
import java.util.List;

import dev.sharding.internal.core.qos.Admission.Granted;
import dev.sharding.internal.core.qos.Admission.Refused;
import dev.sharding.qos.spi.QosClass.RunningWindow;

/**
 * The units of the last window, in slices. All units of a slice count until its last one
 * has left the window, so that no window ever holds more than the limit; one counts at
 * most a slice, a thirty-second of the window, too long. Those that wait for a slice go
 * together when it leaves, so that their slice is exact: this does not add up, and over
 * time the limit is used in full.
 */
public final class RunningWindowState {

	private static final int SLICES = 32;

	/* Costs are counted up to here, so that no sum can overflow. */
	private static final long MOST = 1L << 48;

	private final long origin;

	private final long heldUntil;

	/* Ascending by index; the last ones may lie in the future: they are booked waits. */
	private final List<Slice> slices;

	private RunningWindowState(long origin, long heldUntil, List<Slice> slices) {
		this.origin = origin;
		this.heldUntil = heldUntil;
		this.slices = slices;
	}

	/**
	 * Returns an empty window.
	 * @param now the monotonic clock in nanoseconds
	 * @return the state
	 */
	public static RunningWindowState empty(long now) {
		return new RunningWindowState(now, now, List.of());
	}

	/**
	 * Asks for units. A request goes as early as it fits without moving anybody who waits
	 * already, so one that costs less may go before one that costs more. A cost above the
	 * limit is granted when the window is empty, since otherwise it never would.
	 * @param limit units and window
	 * @param cost the units, 0 or more
	 * @param now the monotonic clock in nanoseconds
	 * @param longestWait how many nanoseconds the request may wait, 0 for not at all
	 * @return granted or refused
	 */
	public Admission<RunningWindowState> reserve(RunningWindow limit, long cost, long now, long longestWait) {
		if (cost == 0) {
			return Admission.ofNothing(this, this.heldUntil - now, longestWait);
		}
		List<Slice> counting = counting(limit, now);
		long from = (this.heldUntil - now > 0) ? this.heldUntil : now;
		long units = Math.min(cost, MOST);
		long at = earliest(counting, limit, units, from - this.origin);
		long wait = at - (now - this.origin);
		return (wait <= longestWait) ? new Granted<>(with(limit, counting, at, units), wait) : new Refused<>(wait);
	}

	/**
	 * Gives booked units back, for a request that gave up its wait. Its place is free for
	 * another one; nobody who waits already goes earlier.
	 * @param limit units and window
	 * @param cost the units
	 * @param due when the request would have gone, on the monotonic clock: when it asked
	 * and what it was told to wait
	 * @return the state without them
	 */
	public RunningWindowState giveBack(RunningWindow limit, long cost, long due) {
		long at = due - this.origin;
		long index = index(limit, at);
		boolean counts = this.slices.stream().anyMatch((slice) -> slice.index == index);
		return counts ? with(limit, this.slices, at, -Math.min(cost, MOST)) : this;
	}

	/**
	 * Holds everything back, for a server that asked for it with Retry-After. Who waits
	 * already keeps its time.
	 * @param until the monotonic clock before which nothing else may go
	 * @return the state in which nothing goes earlier
	 */
	public RunningWindowState holdUntil(long until) {
		return (until - this.heldUntil > 0) ? new RunningWindowState(this.origin, until, this.slices) : this;
	}

	/**
	 * Goes on under another limit. With another length of the window, what counted at its
	 * end counts as if it were used now. What was {@linkplain #withhold withheld} of a
	 * larger limit is not used of a smaller one.
	 * @param before the limit so far
	 * @param after the limit from now on
	 * @param now the monotonic clock in nanoseconds
	 * @return the state under the new limit
	 */
	public RunningWindowState changed(RunningWindow before, RunningWindow after, long now) {
		if (before.window().equals(after.window())) {
			return returned(before.units() - after.units());
		}
		long used = used(before, now);
		return new RunningWindowState(now, this.heldUntil,
				(used > 0) ? List.of(new Slice(0, 0, 0, used, 0)) : List.of());
	}

	/* Room that was not given out is no use of that which is left, the latest first. */
	private RunningWindowState returned(long lost) {
		List<Slice> next = new ArrayList<>();
		long rest = Math.max(0, lost);
		for (int i = this.slices.size() - 1; i >= 0; i--) {
			Slice slice = this.slices.get(i);
			long freed = Math.min(slice.withheld, rest);
			rest -= freed;
			if (slice.units > freed) {
				next.add(0,
						new Slice(slice.index, slice.first, slice.last, slice.units - freed, slice.withheld - freed));
			}
		}
		return new RunningWindowState(this.origin, this.heldUntil, next);
	}

	/**
	 * Counts units as used now, be there room or not: whoever asks waits for them.
	 * @param limit units and window
	 * @param units the units, 0 or more
	 * @param now the monotonic clock in nanoseconds
	 * @return the state without room for them in this window
	 */
	public RunningWindowState withhold(RunningWindow limit, long units, long now) {
		return (units == 0) ? this : with(limit, this.slices, now - this.origin, units, units);
	}

	/**
	 * Returns what counts, with what those who wait have booked.
	 * @param limit units and window
	 * @param now the monotonic clock in nanoseconds
	 * @return the units, more than the limit if some wait
	 */
	public long used(RunningWindow limit, long now) {
		return counting(limit, now).stream().mapToLong(Slice::units).sum();
	}

	/**
	 * Whether nothing counts and nothing is held back: from now on the state answers as
	 * one that was never used.
	 * @param limit units and window
	 * @param now the monotonic clock in nanoseconds
	 * @return whether the window is empty
	 */
	public boolean isEmpty(RunningWindow limit, long now) {
		return this.heldUntil - now <= 0 && used(limit, now) == 0;
	}

	private List<Slice> counting(RunningWindow limit, long now) {
		long since = now - this.origin - limit.window().toNanos();
		return this.slices.stream().filter((slice) -> slice.last > since).toList();
	}

	/*
	 * Room comes only where a slice ends or leaves the window: one after another is
	 * tried.
	 */
	private static long earliest(List<Slice> counting, RunningWindow limit, long cost, long first) {
		long window = limit.window().toNanos();
		long at = first;
		int from = 0;
		while (true) {
			while (from < counting.size() && counting.get(from).last + window <= at) {
				from++;
			}
			List<Slice> near = counting.subList(from, counting.size());
			if (fits(near, limit, cost, at)) {
				return at;
			}
			long now = at;
			at = near.stream().mapToLong(Slice::last).filter((last) -> last > now).findFirst().orElse(Long.MAX_VALUE);
			at = Math.min(at, near.get(0).last + window);
		}
	}

	/* In the window that ends here, and in those of the ones that wait for later. */
	private static boolean fits(List<Slice> near, RunningWindow limit, long cost, long at) {
		long window = limit.window().toNanos();
		if (!hasRoom(near, limit, cost, at - window, at)) {
			return false;
		}
		for (Slice slice : near) {
			if (slice.first - window >= at) {
				break;
			}
			if (slice.last > at && !hasRoom(near, limit, cost, slice.first - window, slice.last)) {
				return false;
			}
		}
		return true;
	}

	/* An empty window takes any cost. */
	private static boolean hasRoom(List<Slice> near, RunningWindow limit, long cost, long after, long end) {
		long used = 0;
		for (Slice slice : near) {
			if (slice.first > end) {
				break;
			}
			used += (slice.last > after) ? slice.units : 0;
		}
		return used == 0 || cost <= limit.units() - used;
	}

	private RunningWindowState with(RunningWindow limit, List<Slice> before, long at, long units) {
		return with(limit, before, at, units, 0);
	}

	private RunningWindowState with(RunningWindow limit, List<Slice> before, long at, long units, long withheld) {
		long index = index(limit, at);
		List<Slice> next = new ArrayList<>(before);
		int place = 0;
		while (place < next.size() && next.get(place).index < index) {
			place++;
		}
		boolean known = place < next.size() && next.get(place).index == index;
		Slice slice = known ? next.remove(place) : new Slice(index, at, at, 0, 0);
		if (slice.units + units > 0) {
			next.add(place, new Slice(index, Math.min(slice.first, at), Math.max(slice.last, at), slice.units + units,
					slice.withheld + withheld));
		}
		return new RunningWindowState(this.origin, this.heldUntil, next);
	}

	private static long index(RunningWindow limit, long at) {
		return Math.floorDiv(at, (limit.window().toNanos() + SLICES - 1) / SLICES);
	}

	/*
	 * Its first and its last unit, in nanoseconds since the origin, and how many of the
	 * units nobody has used.
	 */
	private record Slice(long index, long first, long last, long units, long withheld) {
	}

}
