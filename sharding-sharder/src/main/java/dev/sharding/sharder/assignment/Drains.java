package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import dev.sharding.core.key.ShardingKey;
import org.jspecify.annotations.Nullable;

/**
 * The main objects whose owner was asked to let go of them, by this sharder or by
 * another, and who that was. What ended is kept for a while: the label that names the old
 * owner is gone by the time that the object shows up without one.
 */
final class Drains {

	private static final long KEEP_ENDED_NANOS = Duration.ofMinutes(2).toNanos();

	private final Map<ShardingKey, Drain> drains = new ConcurrentHashMap<>();

	private final LongSupplier nanoTime;

	Drains(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	void began(ShardingKey key, String owner) {
		this.drains.put(key, new Drain(owner, true, 0));
	}

	/** The drain label is gone, or the object is. */
	void ended(ShardingKey key) {
		this.drains.computeIfPresent(key, (same, drain) -> new Drain(drain.owner, false, this.nanoTime.getAsLong()));
	}

	void forget(ShardingKey key) {
		this.drains.remove(key);
	}

	boolean isLive(ShardingKey key) {
		Drain drain = this.drains.get(key);
		return drain != null && drain.live;
	}

	@Nullable String owner(ShardingKey key) {
		Drain drain = this.drains.get(key);
		return (drain != null) ? drain.owner : null;
	}

	/** Forgets what ended long ago. */
	void tidy() {
		long now = this.nanoTime.getAsLong();
		this.drains.values().removeIf((drain) -> !drain.live && now - drain.endedAt > KEEP_ENDED_NANOS);
	}

	private record Drain(String owner, boolean live, long endedAt) {
	}

}
