package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.core.key.ShardingKey;
import org.jspecify.annotations.Nullable;

/**
 * Says whether another drain may be sent. An object has no owner from its owner's
 * acknowledgement until its hand-over, and hand-overs take the longer the more of them
 * there are: so the number of objects on the way is bounded, by what can be handed over
 * in a moment. The bound doubles with each round of objects that get their new owner
 * soon, and halves when they get it late, so it follows the pace of the API server. While
 * one of them waits for its owner late, none is added: it would wait longer still.
 * <p>
 * What is stuck takes no room from the others. An owner that is silent, as a drain of it
 * was not acknowledged for a while, has a small bound of its own until it acknowledges
 * one; and an object that waits for its new owner for very long does not count any more.
 */
final class DrainWindow {

	private static final int SMALLEST = 8;

	private static final int FIRST = 16;

	private static final int LARGEST = 1000;

	private static final long SOON = Duration.ofMillis(250).toNanos();

	private static final long LATE = Duration.ofMillis(400).toNanos();

	/* Who waits longer than this does not wait for its turn, but for something else. */
	static final Duration STUCK = Duration.ofSeconds(10);

	private static final long PATIENCE = Duration.ofSeconds(2).toNanos();

	/* Drains that were sent and count, oldest first. */
	private final Map<ShardingKey, Asked> asked = new LinkedHashMap<>();

	private final Map<String, Integer> askedByOwner = new HashMap<>();

	/* Since when. */
	private final Map<String, Long> silent = new HashMap<>();

	/* How many of the drains that count were sent to one of those. */
	private int askedOfSilent;

	/* Objects whose owner has let go, and since when that is known, oldest first. */
	private final Map<ShardingKey, Long> unowned = new LinkedHashMap<>();

	/* Those of them that have waited for very long. */
	private final Set<ShardingKey> stuck = new HashSet<>();

	private int size = FIRST;

	/*
	 * When the bound was halved; those that were late at that time do not halve it again.
	 */
	private @Nullable Long halved;

	boolean isOpen(String owner, long now) {
		tellSilent(now);
		if (isLate(now)) {
			return false;
		}
		if (this.silent.containsKey(owner)) {
			return askedOf(owner) < SMALLEST;
		}
		return this.asked.size() - this.askedOfSilent + this.unowned.size() < this.size;
	}

	private void tellSilent(long now) {
		for (Iterator<Asked> oldest = this.asked.values().iterator(); oldest.hasNext();) {
			Asked drain = oldest.next();
			if (now - drain.at < PATIENCE) {
				return;
			}
			oldest.remove();
			discount(drain);
			if (this.silent.putIfAbsent(drain.owner, now) == null) {
				this.askedOfSilent += askedOf(drain.owner);
			}
		}
	}

	private boolean isLate(long now) {
		tellStuck(now);
		Iterator<Long> oldest = this.unowned.values().iterator();
		return oldest.hasNext() && now - oldest.next() > LATE;
	}

	private void tellStuck(long now) {
		for (Iterator<Map.Entry<ShardingKey, Long>> oldest = this.unowned.entrySet().iterator(); oldest.hasNext();) {
			Map.Entry<ShardingKey, Long> object = oldest.next();
			if (now - object.getValue() <= STUCK.toNanos()) {
				return;
			}
			oldest.remove();
			this.stuck.add(object.getKey());
		}
	}

	/** How many objects were let go of long ago and still have no owner. */
	int stuck(long now) {
		tellStuck(now);
		return this.stuck.size();
	}

	/** Whether none was let go of and still has no owner. */
	boolean isIdle() {
		return this.unowned.isEmpty() && this.stuck.isEmpty();
	}

	void sent(ShardingKey key, String owner, long now) {
		answered(key);
		this.asked.put(key, new Asked(owner, now));
		this.askedByOwner.merge(owner, 1, Integer::sum);
		this.askedOfSilent += this.silent.containsKey(owner) ? 1 : 0;
	}

	/** An owner has let go of something. */
	void acknowledged(String owner) {
		if (this.silent.remove(owner) != null) {
			this.askedOfSilent -= askedOf(owner);
		}
	}

	/** Tells whether an owner has been silent for so long that it may be for good. */
	boolean isStuck(String owner, long now) {
		Long since = this.silent.get(owner);
		return since != null && now - since > STUCK.toNanos();
	}

	/** Membership is another: who was silent gets a new chance. */
	void begin() {
		this.silent.clear();
		this.askedOfSilent = 0;
	}

	void letGo(ShardingKey key, long now) {
		answered(key);
		if (!this.stuck.contains(key)) {
			this.unowned.putIfAbsent(key, now);
		}
	}

	void owned(ShardingKey key, long now) {
		answered(key);
		this.stuck.remove(key);
		Long since = this.unowned.remove(key);
		if (since == null) {
			return;
		}
		if (now - since < SOON) {
			this.size = Math.min(LARGEST, this.size + 1);
		}
		else if (now - since > LATE && (this.halved == null || since - this.halved > 0)) {
			this.size = Math.max(SMALLEST, this.size / 2);
			this.halved = now;
		}
	}

	/** The object is gone, or cannot be placed for now. */
	void forget(ShardingKey key) {
		answered(key);
		this.unowned.remove(key);
		this.stuck.remove(key);
	}

	private void answered(ShardingKey key) {
		Asked drain = this.asked.remove(key);
		if (drain != null) {
			discount(drain);
		}
	}

	private void discount(Asked drain) {
		this.askedOfSilent -= this.silent.containsKey(drain.owner) ? 1 : 0;
		this.askedByOwner.computeIfPresent(drain.owner, (same, count) -> (count > 1) ? count - 1 : null);
	}

	private int askedOf(String owner) {
		return this.askedByOwner.getOrDefault(owner, 0);
	}

	private record Asked(String owner, long at) {
	}

}
