package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

import dev.sharding.client.ApiException;
import dev.sharding.internal.sharder.shardlease.LeaseBook.ShardName;
import dev.sharding.resource.ObjectKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What failed about Leases, how long to wait before the next attempt, and what people
 * have to mend. Lives on the thread of {@link ShardLeases}.
 */
final class LeaseFailures {

	private static final Logger log = LoggerFactory.getLogger(LeaseFailures.class);

	private static final Duration AFTER_CONFLICT = Duration.ofMillis(50);

	private static final Duration FIRST = Duration.ofMillis(500);

	private static final int MOST_DOUBLINGS = 6;

	/* Of what the API server, or one that it asks, could not do just now. */
	private static final int MOST_OF_ERRORS = 2;

	private static final int SERVER_ERROR = 500;

	private final Map<Place, Failure> failures = new HashMap<>();

	/* The same by ring, as a ring is asked for without a look at all others. */
	private final Map<String, Map<Place, Failure>> byRing = new HashMap<>();

	private final Consumer<String> changed;

	/**
	 * @param changed called with a ring after each change of what is refused there
	 */
	LeaseFailures(Consumer<String> changed) {
		this.changed = changed;
	}

	/**
	 * Records a failure. What the API server refuses is worth a warning once, until
	 * something changes about it.
	 * @return how long to wait
	 */
	Duration failed(ObjectKey lease, String ring, Operation operation, ApiException exception) {
		if (!isRefusal(exception)) {
			log.debug("Looking at Lease {} again: {}", lease, exception.getMessage());
			return exception.isConflict() ? AFTER_CONFLICT : FIRST;
		}
		Place place = new Place(lease, operation);
		Failure before = this.failures.get(place);
		String reason = String.valueOf(exception.getMessage());
		int times = (before != null) ? before.times + 1 : 0;
		remove(place);
		Failure latest = new Failure(ring, reason, times);
		this.failures.put(place, latest);
		this.byRing.computeIfAbsent(ring, (first) -> new HashMap<>()).put(place, latest);
		if (before == null || !before.reason.equals(reason)) {
			log.warn("{} ring={}", reason, ring);
			this.changed.accept(ring);
		}
		// The label is for people, and what comes after it must not wait.
		int most = (exception.status() >= SERVER_ERROR) ? MOST_OF_ERRORS : MOST_DOUBLINGS;
		return (operation == Operation.SHOW_STATE) ? FIRST : FIRST.multipliedBy(1L << Math.min(times, most));
	}

	/** Records that something works. */
	void succeeded(ObjectKey lease, Operation operation) {
		Failure before = remove(new Place(lease, operation));
		if (before != null) {
			log.info("Lease can be served again lease={} ring={} operation={}", lease, before.ring, operation);
			this.changed.accept(before.ring);
		}
	}

	/** Forgets a Lease that is gone. */
	void forget(ObjectKey lease) {
		for (Operation operation : Operation.values()) {
			if (operation != Operation.CREATE) {
				remove(new Place(lease, operation));
			}
		}
	}

	/** Forgets that a shard's Lease could not be made, as it has to be made no more. */
	void forgetCreate(ShardName shard) {
		List<Place> over = this.byRing.getOrDefault(shard.ring(), Map.of())
			.keySet()
			.stream()
			.filter((place) -> place.operation == Operation.CREATE && place.lease.name().equals(shard.name()))
			.toList();
		over.forEach(this::remove);
		if (!over.isEmpty()) {
			this.changed.accept(shard.ring());
		}
	}

	/** What the API server refuses at the moment, by Lease. */
	SortedMap<String, String> of(String ring) {
		SortedMap<String, String> reasons = new TreeMap<>();
		this.byRing.getOrDefault(ring, Map.of())
			.forEach((place, failure) -> reasons.merge("Lease " + place.lease, failure.reason,
					(one, other) -> (one.compareTo(other) <= 0) ? one : other));
		return reasons;
	}

	private @Nullable Failure remove(Place place) {
		Failure before = this.failures.remove(place);
		if (before != null) {
			this.byRing.computeIfPresent(before.ring, (ring, places) -> {
				places.remove(place);
				return places.isEmpty() ? null : places;
			});
		}
		return before;
	}

	/** Tells whether the same request would fail again, as far as one can say. */
	static boolean isRefusal(ApiException failure) {
		return switch (failure.status()) {
			case 0, 404 -> false;
			case 409, 429, 503 -> failure.isDenied();
			default -> true;
		};
	}

	/**
	 * What is done with a Lease.
	 */
	enum Operation {

		/** Asking for it. */
		READ,

		/** Writing the label for people. */
		SHOW_STATE,

		/** Taking or renewing it. */
		HOLD,

		/** Taking the holder off. */
		GIVE_BACK,

		/** Making it anew. */
		CREATE,

		/** Deleting what is left over. */
		DELETE

	}

	private record Place(ObjectKey lease, Operation operation) {
	}

	private record Failure(String ring, String reason, int times) {
	}

}
