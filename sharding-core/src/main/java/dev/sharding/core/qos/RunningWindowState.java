package dev.sharding.core.qos;

import java.util.ArrayList;
import java.util.List;

import dev.sharding.core.qos.Admission.Granted;
import dev.sharding.core.qos.Admission.Refused;
import dev.sharding.core.qos.QosClass.RunningWindow;

/**
 * The units of the last window, in slices. A unit counts until its whole slice has left
 * the window, so that no window ever holds more than the limit; it counts at most one
 * slice, a thirty-second of the window, too long.
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
		long current = index(limit, now);
		List<Slice> counting = this.slices.stream().filter((slice) -> slice.index + SLICES >= current).toList();
		long from = (this.heldUntil - now > 0) ? this.heldUntil : now;
		long at = earliest(counting, limit, Math.min(cost, MOST), index(limit, from));
		long wait = Math.max(from - now, this.origin + at * sliceNanos(limit) - now);
		return (wait <= longestWait) ? new Granted<>(with(counting, at, Math.min(cost, MOST)), wait)
				: new Refused<>(wait);
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
		long index = index(limit, due);
		boolean counts = this.slices.stream().anyMatch((slice) -> slice.index == index);
		return counts ? with(this.slices, index, -Math.min(cost, MOST)) : this;
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
	 * end counts as if it were used now.
	 * @param before the limit so far
	 * @param after the limit from now on
	 * @param now the monotonic clock in nanoseconds
	 * @return the state under the new limit
	 */
	public RunningWindowState changed(RunningWindow before, RunningWindow after, long now) {
		if (before.window().equals(after.window())) {
			return this;
		}
		long used = used(before, now);
		return new RunningWindowState(now, this.heldUntil, (used > 0) ? List.of(new Slice(0, used)) : List.of());
	}

	/**
	 * Counts units as used now, be there room or not: whoever asks waits for them.
	 * @param limit units and window
	 * @param units the units, 0 or more
	 * @param now the monotonic clock in nanoseconds
	 * @return the state without room for them in this window
	 */
	public RunningWindowState withhold(RunningWindow limit, long units, long now) {
		return (units == 0) ? this : with(this.slices, index(limit, now), units);
	}

	/**
	 * Returns what counts, with what those who wait have booked.
	 * @param limit units and window
	 * @param now the monotonic clock in nanoseconds
	 * @return the units, more than the limit if some wait
	 */
	public long used(RunningWindow limit, long now) {
		long current = index(limit, now);
		return this.slices.stream().filter((slice) -> slice.index + SLICES >= current).mapToLong(Slice::units).sum();
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

	/* Room comes only with a slice that leaves: one after another is tried. */
	private static long earliest(List<Slice> counting, RunningWindow limit, long cost, long first) {
		long at = first;
		int from = 0;
		while (true) {
			while (from < counting.size() && counting.get(from).index + SLICES < at) {
				from++;
			}
			List<Slice> near = counting.subList(from, counting.size());
			if (fits(near, limit, cost, at)) {
				return at;
			}
			at = near.get(0).index + SLICES + 1;
		}
	}

	/* In the window that ends here, and in those of the ones that wait for later. */
	private static boolean fits(List<Slice> near, RunningWindow limit, long cost, long at) {
		if (!hasRoom(near, limit, cost, at)) {
			return false;
		}
		for (Slice slice : near) {
			if (slice.index > at + SLICES) {
				break;
			}
			if (slice.index > at && !hasRoom(near, limit, cost, slice.index)) {
				return false;
			}
		}
		return true;
	}

	/* An empty window takes any cost. */
	private static boolean hasRoom(List<Slice> near, RunningWindow limit, long cost, long end) {
		long used = 0;
		for (Slice slice : near) {
			if (slice.index > end) {
				break;
			}
			used += (slice.index + SLICES >= end) ? slice.units : 0;
		}
		return used == 0 || cost <= limit.units() - used;
	}

	private RunningWindowState with(List<Slice> before, long index, long units) {
		List<Slice> next = new ArrayList<>(before);
		int place = 0;
		while (place < next.size() && next.get(place).index < index) {
			place++;
		}
		boolean known = place < next.size() && next.get(place).index == index;
		long sum = (known ? next.remove(place).units : 0) + units;
		if (sum > 0) {
			next.add(place, new Slice(index, sum));
		}
		return new RunningWindowState(this.origin, this.heldUntil, next);
	}

	private long index(RunningWindow limit, long time) {
		return Math.floorDiv(time - this.origin, sliceNanos(limit));
	}

	private static long sliceNanos(RunningWindow limit) {
		return (limit.window().toNanos() + SLICES - 1) / SLICES;
	}

	private record Slice(long index, long units) {
	}

}
