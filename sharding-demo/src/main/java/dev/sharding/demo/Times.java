package dev.sharding.demo;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * When things happened, by the monotonic clock of this process: what it sent itself, and
 * what its watch told. Not thread-safe but for the caller's own care; see {@link Board}.
 */
final class Times {

	private final Map<String, Long> created = new HashMap<>();

	private final Map<String, Long> firstOwned = new HashMap<>();

	private final Map<String, Long> drains = new HashMap<>();

	private final List<Long> drainMillis = new ArrayList<>();

	private long lastOwned;

	private int moves;

	synchronized void created(String name, long nanos) {
		this.created.putIfAbsent(name, nanos);
	}

	synchronized void owned(String name, long nanos) {
		this.firstOwned.putIfAbsent(name, nanos);
		this.lastOwned = nanos;
		Long asked = this.drains.remove(name);
		if (asked != null) {
			this.drainMillis.add(millis(asked, nanos));
		}
	}

	/** An object that had an owner has another one, or none. */
	synchronized void moved() {
		this.moves++;
	}

	/** How often that has happened so far. */
	synchronized int moves() {
		return this.moves;
	}

	synchronized void drainAsked(String name, long nanos) {
		this.drains.putIfAbsent(name, nanos);
	}

	/** From the response to each creation until the object had an owner. */
	synchronized List<Long> assignMillis() {
		List<Long> millis = new ArrayList<>();
		this.created.forEach((name, from) -> {
			Long to = this.firstOwned.get(name);
			if (to != null) {
				millis.add(millis(from, to));
			}
		});
		return millis;
	}

	/** From each drain label until the object had its next owner. */
	synchronized List<Long> drainMillis() {
		return List.copyOf(this.drainMillis);
	}

	/** From that moment until the last object got an owner. */
	synchronized long millisToLastOwned(long from) {
		return millis(from, Math.max(from, this.lastOwned));
	}

	private static long millis(long from, long to) {
		return Math.max(0, TimeUnit.NANOSECONDS.toMillis(to - from));
	}

	/** The value below which that share of the values lies, 0 if there are none. */
	static long percentile(Collection<Long> values, double share) {
		List<Long> sorted = values.stream().sorted().toList();
		return sorted.isEmpty() ? 0 : sorted.get((int) Math.ceil(share * sorted.size()) - 1);
	}

}
