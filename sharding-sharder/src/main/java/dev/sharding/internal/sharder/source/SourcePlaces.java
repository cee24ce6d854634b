package dev.sharding.internal.sharder.source;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Says of which shards an index may be kept at a time: of as many as fit a number of
 * bytes, and of one in any case. How large an index becomes is not known before it is
 * there, so the first one is waited for, and the next ones are taken to be as large as
 * the largest one so far. Who has waited longest is next; while somebody waits, a shard
 * gives its place up that is silent or not needed any more. Not threadsafe.
 */
public final class SourcePlaces {

	/** The bytes that all indexes together may take while there is enough memory. */
	public static final int BUDGET = 32 * 1024 * 1024;

	private static final long PATIENCE = Duration.ofSeconds(5).toNanos();

	private static final long IDLE = Duration.ofSeconds(10).toNanos();

	/* Who waits asks again and again. */
	private static final long FORGOTTEN = Duration.ofSeconds(1).toNanos();

	private static final int MOST_FILLED_AT_A_TIME = 8;

	private final Map<String, Place> places = new LinkedHashMap<>();

	private final Map<String, Waiting> waiting = new LinkedHashMap<>();

	private final LongSupplier budget;

	/* How large an index is expected to be. */
	private long expected;

	/**
	 * Creates the law, with all places free.
	 * @param budget the bytes that all indexes together may take at present
	 */
	public SourcePlaces(LongSupplier budget) {
		this.budget = budget;
	}

	/**
	 * Asks for a place.
	 * @param shard who needs it
	 * @param now monotonic, in nanoseconds
	 * @return whether the shard has a place, from now on or since it asked before
	 */
	public boolean ask(String shard, long now) {
		if (this.places.containsKey(shard)) {
			used(shard, now);
			return true;
		}
		Waiting known = this.waiting.get(shard);
		if (known == null || known.isForgotten(now)) {
			this.waiting.remove(shard);
			this.waiting.put(shard, new Waiting(now));
		}
		else {
			known.asked = now;
		}
		if (!isNext(shard, now) || !isRoom()) {
			return false;
		}
		this.waiting.remove(shard);
		this.places.put(shard, new Place(now));
		return true;
	}

	/**
	 * Tells whether a shard is the next one to get a place, as soon as there is room.
	 * @param shard which
	 * @param now monotonic, in nanoseconds
	 * @return whether nobody else who still asks has waited for longer
	 */
	public boolean isNext(String shard, long now) {
		for (Iterator<Map.Entry<String, Waiting>> first = this.waiting.entrySet().iterator(); first.hasNext();) {
			Map.Entry<String, Waiting> one = first.next();
			if (!one.getValue().isForgotten(now)) {
				return one.getKey().equals(shard);
			}
			first.remove();
		}
		return false;
	}

	/**
	 * Tells whether a shard has waited for so long that others need not wait for it. None
	 * has while the first index is on its way, which all wait for.
	 * @param shard which
	 * @param now monotonic, in nanoseconds
	 * @return whether it goes on waiting
	 */
	public boolean isLate(String shard, long now) {
		Waiting one = this.waiting.get(shard);
		return one != null && now - one.since > PATIENCE && (this.expected > 0 || filling() == 0);
	}

	/**
	 * A shard's index is needed.
	 * @param shard whose
	 * @param now monotonic, in nanoseconds
	 */
	public void used(String shard, long now) {
		Place place = this.places.get(shard);
		if (place != null) {
			place.used = now;
		}
	}

	/**
	 * A shard is asked for an object.
	 * @param shard which
	 * @param now monotonic, in nanoseconds
	 */
	public void asked(String shard, long now) {
		Place place = this.places.get(shard);
		if (place != null && place.unanswered == null) {
			place.unanswered = now;
		}
	}

	/**
	 * A shard has let go of an object.
	 * @param shard which
	 */
	public void answered(String shard) {
		Place place = this.places.get(shard);
		if (place != null) {
			place.unanswered = null;
		}
	}

	/**
	 * Tells how large an index is.
	 * @param shard whose
	 * @param bytes its size
	 * @param complete whether all is in it that was there at first
	 */
	public void size(String shard, long bytes, boolean complete) {
		Place place = this.places.get(shard);
		if (place != null) {
			place.bytes = bytes;
			place.complete |= complete;
			this.expected = Math.max(this.expected, place.complete ? bytes : 0);
		}
	}

	/**
	 * Takes back places.
	 * @param now monotonic, in nanoseconds
	 * @return the shards that have lost theirs
	 */
	public List<String> takeBack(long now) {
		List<String> over = new ArrayList<>();
		boolean awaited = this.waiting.values().stream().anyMatch((one) -> !one.isForgotten(now));
		this.places.forEach((shard, place) -> {
			long unused = now - place.used;
			boolean yields = awaited && (unused > PATIENCE || place.isSilent(now));
			if (yields || unused > IDLE) {
				over.add(shard);
			}
		});
		this.places.keySet().removeAll(over);
		over.addAll(tooMuch());
		if (this.places.isEmpty()) {
			// Membership may be another by then, and the shares with it.
			this.expected = over.isEmpty() ? this.expected : 0;
		}
		return over;
	}

	/* The youngest one leaves, and comes back when there is room for what it is. */
	private List<String> tooMuch() {
		List<String> over = new ArrayList<>();
		List<String> youngest = new ArrayList<>(this.places.keySet());
		long bytes = bytes();
		while (this.places.size() > 1 && bytes > this.budget.getAsLong()) {
			String shard = youngest.remove(youngest.size() - 1);
			Place place = this.places.remove(shard);
			long freed = (place != null) ? place.bytes : 0;
			this.expected = Math.max(this.expected, freed);
			bytes -= freed;
			over.add(shard);
		}
		return over;
	}

	/** Takes back all places. */
	public void clear() {
		this.places.clear();
		this.waiting.clear();
		this.expected = 0;
	}

	/**
	 * The bytes that all indexes take.
	 * @return how many
	 */
	public long bytes() {
		return this.places.values().stream().mapToLong((place) -> place.bytes).sum();
	}

	private long filling() {
		return this.places.values().stream().filter((place) -> !place.complete).count();
	}

	private boolean isRoom() {
		if (this.places.isEmpty()) {
			return true;
		}
		if (filling() >= ((this.expected > 0) ? MOST_FILLED_AT_A_TIME : 1)) {
			return false;
		}
		long reserved = this.expected;
		for (Place place : this.places.values()) {
			reserved += place.complete ? place.bytes : Math.max(place.bytes, this.expected);
		}
		return reserved <= this.budget.getAsLong();
	}

	/**
	 * Who has no place.
	 */
	private static final class Waiting {

		private final long since;

		private long asked;

		private Waiting(long since) {
			this.since = since;
			this.asked = since;
		}

		private boolean isForgotten(long now) {
			return now - this.asked > FORGOTTEN;
		}

	}

	/**
	 * What is known of an index that is kept.
	 */
	private static final class Place {

		private long used;

		/* Since when it has been asked for something, and has not answered. */
		private @Nullable Long unanswered;

		private long bytes;

		private boolean complete;

		private Place(long since) {
			this.used = since;
		}

		private boolean isSilent(long now) {
			return this.unanswered != null && now - this.unanswered > PATIENCE;
		}

	}

}
