package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import dev.sharding.core.key.ShardingKey;

/**
 * Says whether another drain may be sent. An object has no owner from its owner's
 * acknowledgement until its hand-over, and hand-overs take the longer the more of them
 * there are: so the number of objects on the way is bounded, and the bound grows as long
 * as they get their new owner soon. While one of them waits for its owner late, none is
 * added: it would wait longer still. A drain that nobody acknowledges does not count for
 * long.
 */
final class DrainWindow {

	private static final int SMALLEST = 16;

	private static final int FIRST = 64;

	private static final int LARGEST = 1000;

	private static final long SOON = Duration.ofMillis(300).toNanos();

	private static final long LATE = Duration.ofMillis(500).toNanos();

	/* Who waits longer than this does not wait for its turn, but for something else. */
	private static final long STUCK = Duration.ofSeconds(10).toNanos();

	private static final long PATIENCE = Duration.ofSeconds(2).toNanos();

	/* Drains that were sent, oldest first, and when. */
	private final Map<ShardingKey, Long> asked = new LinkedHashMap<>();

	/* Objects whose owner has let go, and since when that is known. */
	private final Map<ShardingKey, Long> unowned = new LinkedHashMap<>();

	private int size = FIRST;

	boolean isOpen(long now) {
		for (Iterator<Long> sent = this.asked.values().iterator(); sent.hasNext();) {
			if (now - sent.next() < PATIENCE) {
				break;
			}
			sent.remove();
		}
		return this.asked.size() + this.unowned.size() < this.size && !isLate(now);
	}

	private boolean isLate(long now) {
		for (long since : this.unowned.values()) {
			if (now - since <= STUCK) {
				return now - since > LATE;
			}
		}
		return false;
	}

	void sent(ShardingKey key, long now) {
		this.asked.put(key, now);
	}

	void letGo(ShardingKey key, long now) {
		this.asked.remove(key);
		this.unowned.putIfAbsent(key, now);
	}

	void owned(ShardingKey key, long now) {
		this.asked.remove(key);
		Long since = this.unowned.remove(key);
		if (since == null) {
			return;
		}
		if (now - since < SOON) {
			this.size = Math.min(LARGEST, this.size + 1);
		}
		else if (now - since > LATE) {
			this.size = Math.max(SMALLEST, this.size - 2);
		}
	}

	/** The object is gone, or cannot be placed for now. */
	void forget(ShardingKey key) {
		this.asked.remove(key);
		this.unowned.remove(key);
	}

}
