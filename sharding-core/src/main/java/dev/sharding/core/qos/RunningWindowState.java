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

	private final long origin;

	/* Ascending by index; the last ones may lie in the future: they are booked waits. */
	private final List<Slice> slices;

	private RunningWindowState(long origin, List<Slice> slices) {
		this.origin = origin;
		this.slices = slices;
	}

	/**
	 * Returns an empty window.
	 * @param now the monotonic clock in nanoseconds
	 * @return the state
	 */
	public static RunningWindowState empty(long now) {
		return new RunningWindowState(now, List.of());
	}

	/**
	 * Asks for units. Requests are granted in the order in which they ask. A cost above
	 * the limit is granted once the window is empty, since otherwise it never would.
	 * @param limit units and window
	 * @param cost the units, 0 or more
	 * @param now the monotonic clock in nanoseconds
	 * @param longestWait how many nanoseconds the request may wait, 0 for not at all
	 * @return granted or refused
	 */
	public Admission<RunningWindowState> reserve(RunningWindow limit, long cost, long now, long longestWait) {
		long length = sliceNanos(limit);
		long current = Math.floorDiv(now - this.origin, length);
		List<Slice> counting = this.slices.stream().filter((slice) -> slice.index + SLICES >= current).toList();
		long start = counting.isEmpty() ? current : Math.max(current, counting.get(counting.size() - 1).index);
		long at = earliest(counting, limit, cost, start);
		long wait = Math.max(0, this.origin + at * length - now);
		if (wait > longestWait) {
			return new Refused<>(wait);
		}
		return new Granted<>(new RunningWindowState(this.origin, plus(counting, at, cost)), wait);
	}

	/* Each step leaves one counting slice behind, so the last candidate always fits. */
	private static long earliest(List<Slice> counting, RunningWindow limit, long cost, long start) {
		long used = 0;
		for (Slice slice : counting) {
			used += (slice.index + SLICES >= start) ? slice.units : 0;
		}
		long at = start;
		for (Slice slice : counting) {
			if (used == 0 || used + cost <= limit.units()) {
				break;
			}
			if (slice.index + SLICES >= start) {
				used -= slice.units;
				at = slice.index + SLICES + 1;
			}
		}
		return at;
	}

	private static List<Slice> plus(List<Slice> counting, long index, long cost) {
		List<Slice> next = new ArrayList<>(counting);
		int last = next.size() - 1;
		if (last >= 0 && next.get(last).index == index) {
			next.set(last, new Slice(index, next.get(last).units + cost));
		}
		else {
			next.add(new Slice(index, cost));
		}
		return next;
	}

	private static long sliceNanos(RunningWindow limit) {
		return (limit.window().toNanos() + SLICES - 1) / SLICES;
	}

	private record Slice(long index, long units) {
	}

}
