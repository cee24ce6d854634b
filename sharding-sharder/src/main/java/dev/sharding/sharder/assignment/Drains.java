package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.util.HashMap;
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
		this.drains.compute(key, (same, known) -> (known != null && known.live && known.owner.equals(owner)) ? known
				: new Drain(owner, true, this.nanoTime.getAsLong()));
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
		this.drains.values().removeIf((drain) -> !drain.live && now - drain.since > KEEP_ENDED_NANOS);
	}

	/**
	 * Finds the owners that have not let go of something for a while.
	 * @param atLeast for how long
	 * @return what each of them still has
	 */
	Map<String, Stuck> stuck(Duration atLeast) {
		long now = this.nanoTime.getAsLong();
		Map<String, Stuck> stuck = new HashMap<>();
		this.drains.forEach((key, drain) -> {
			Duration age = Duration.ofNanos(now - drain.since);
			if (drain.live && age.compareTo(atLeast) >= 0) {
				stuck.merge(drain.owner, new Stuck(1, age, key), Stuck::and);
			}
		});
		return stuck;
	}

	/**
	 * What a shard was asked for and has not given.
	 *
	 * @param objects how many
	 * @param longest since when it has been asked for the first of them
	 * @param example that one
	 */
	record Stuck(int objects, Duration longest, ShardingKey example) {

		private Stuck and(Stuck other) {
			Stuck first = (other.longest.compareTo(this.longest) > 0) ? other : this;
			return new Stuck(this.objects + other.objects, first.longest, first.example);
		}

	}

	/* Since when it is live, or has ended. */
	private record Drain(String owner, boolean live, long since) {
	}

}
