package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import dev.sharding.internal.sharder.assignment.metadata.ShardedObject.ObjectId;

/**
 * Objects about which nothing may be sent for a while, as the API server said when to
 * come back with them: no more than a bound, as that may be said of each. Threadsafe.
 */
final class PutOffs {

	static final int MOST = 10_000;

	private final Map<ObjectId, Long> due = new ConcurrentHashMap<>();

	private final LongSupplier nanoTime;

	PutOffs(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/**
	 * Notes an object.
	 * @return {@code false} if so many wait that this one cannot be kept in mind
	 */
	boolean add(ObjectId object, Duration wait) {
		if (isFull(object)) {
			tidy();
		}
		if (isFull(object)) {
			return false;
		}
		this.due.put(object, this.nanoTime.getAsLong() + wait.toNanos());
		return true;
	}

	private boolean isFull(ObjectId object) {
		return this.due.size() >= MOST && !this.due.containsKey(object);
	}

	/** Forgets those that need not wait any more. */
	void tidy() {
		long now = this.nanoTime.getAsLong();
		this.due.values().removeIf((each) -> each - now <= 0);
	}

	/** How long it is still to wait; zero if it may be asked about. */
	Duration left(ObjectId object) {
		Long until = this.due.get(object);
		return (until != null) ? Duration.ofNanos(Math.max(0, until - this.nanoTime.getAsLong())) : Duration.ZERO;
	}

}
