package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import dev.sharding.internal.core.key.ShardingKey;
import org.jspecify.annotations.Nullable;

/**
 * The main objects whose owner was asked to let go of them, by this sharder or by
 * another, and who that was. What ended is kept for a while: the label that names the old
 * owner is gone by the time that the object shows up without one.
 */
public final class Drains {

	private static final long KEEP_ENDED_NANOS = Duration.ofMinutes(2).toNanos();

	private final Map<ShardingKey, Drain> drains = new ConcurrentHashMap<>();

	private final LongSupplier nanoTime;

	public Drains(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/** The owner is about to be asked: it may hear of it, or not. */
	void asking(ShardingKey key, String owner) {
		this.drains.compute(key, (same, known) -> (known != null && known.isOf(owner)) ? known
				: new Drain(owner, State.ASKED, this.nanoTime.getAsLong()));
	}

	/**
	 * The object was seen with the drain label. Only that counts: the answer to a request
	 * may come when all is over.
	 */
	public void began(ShardingKey key, String owner) {
		this.drains.compute(key,
				(same, known) -> (known != null && known.state == State.LIVE && known.owner.equals(owner)) ? known
						: new Drain(owner, State.LIVE, this.nanoTime.getAsLong()));
	}

	/** The drain label is gone, or the object is. */
	public void ended(ShardingKey key) {
		this.drains.computeIfPresent(key,
				(same, drain) -> new Drain(drain.owner, State.ENDED, this.nanoTime.getAsLong()));
	}

	/** There was nobody who could let go of what these have, and there is now. */
	public void askedAgain(Set<String> owners) {
		if (!owners.isEmpty()) {
			long now = this.nanoTime.getAsLong();
			this.drains.replaceAll((key, drain) -> (drain.state != State.ENDED && owners.contains(drain.owner))
					? new Drain(drain.owner, drain.state, now) : drain);
		}
	}

	public void forget(ShardingKey key) {
		this.drains.remove(key);
	}

	/** The owner could not be asked, unless the object was seen with the drain label. */
	void failed(ShardingKey key) {
		this.drains.computeIfPresent(key, (same, drain) -> (drain.state == State.ASKED) ? null : drain);
	}

	public boolean isLive(ShardingKey key) {
		Drain drain = this.drains.get(key);
		return drain != null && drain.state != State.ENDED;
	}

	/** The number of objects that their owners were seen to be asked for. */
	public int live() {
		return (int) this.drains.values().stream().filter((drain) -> drain.state == State.LIVE).count();
	}

	public @Nullable String owner(ShardingKey key) {
		Drain drain = this.drains.get(key);
		return (drain != null) ? drain.owner : null;
	}

	/** Forgets what ended long ago, and what was asked for and never came to be. */
	public void tidy() {
		long now = this.nanoTime.getAsLong();
		this.drains.values().removeIf((drain) -> drain.state != State.LIVE && now - drain.since > KEEP_ENDED_NANOS);
	}

	/**
	 * Finds the owners that have not let go of something for a while.
	 * @param atLeast for how long
	 * @return what each of them still has
	 */
	public Map<String, Stuck> stuck(Duration atLeast) {
		long now = this.nanoTime.getAsLong();
		Map<String, Stuck> stuck = new HashMap<>();
		this.drains.forEach((key, drain) -> {
			Duration age = Duration.ofNanos(now - drain.since);
			if (drain.state == State.LIVE && age.compareTo(atLeast) >= 0) {
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
	public record Stuck(int objects, Duration longest, ShardingKey example) {

		private Stuck and(Stuck other) {
			Stuck first = (other.longest.compareTo(this.longest) > 0) ? other : this;
			return new Stuck(this.objects + other.objects, first.longest, first.example);
		}

	}

	/* Only of a live one it is certain that the owner can know of it. */
	private enum State {

		ASKED, LIVE, ENDED

	}

	/* Since when it was asked for, or has ended. */
	private record Drain(String owner, State state, long since) {

		private boolean isOf(String other) {
			return this.state != State.ENDED && this.owner.equals(other);
		}

	}

}
