package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import dev.sharding.internal.sharder.assignment.metadata.MetadataLists;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.shardlease.ShardHold;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * Moves everything that lost shards had, when none came: lists it by the shard label and
 * moves it page by page. The watch that is open goes on bringing new objects meanwhile,
 * and knows nothing of the moves; the next one opens when there is next to nothing left
 * for it. Lives on the ring's thread.
 */
final class MassMoves {

	/* Whoever cannot be held soon is left to the watch, which waits for each object. */
	private static final Duration HELD_WITHIN = Duration.ofSeconds(1);

	private static final Duration LOOK_EVERY = Duration.ofMillis(50);

	private static final int MOVED_WITHIN_LOOKS = 600;

	private final RingScope scope;

	private final MetadataLists lists;

	private final UnavailableShards unavailableShards;

	private final MainObjects mainObjects;

	private final LeaseHolds leaseHolds;

	private final EventLoop loop;

	private final Function<List<ShardedObject>, CompletableFuture<?>> found;

	/* Whoever works for an older pass gives up. */
	private volatile int pass;

	private boolean underWay;

	MassMoves(RingScope scope, MetadataLists lists, UnavailableShards unavailableShards, MainObjects mainObjects,
			LeaseHolds leaseHolds, EventLoop loop, Function<List<ShardedObject>, CompletableFuture<?>> found) {
		this.scope = scope;
		this.lists = lists;
		this.unavailableShards = unavailableShards;
		this.mainObjects = mainObjects;
		this.leaseHolds = leaseHolds;
		this.loop = loop;
		this.found = found;
	}

	/**
	 * Begins to move, and ends what was begun before.
	 * @param shards who was lost
	 * @param then what to do when next to nothing is left; not called after a stop
	 */
	void begin(Collection<String> shards, Runnable then) {
		int mine = ++this.pass;
		this.underWay = true;
		List<String> lost = List.copyOf(shards);
		Map<String, CompletableFuture<@Nullable ShardHold>> asked = new LinkedHashMap<>();
		lost.forEach((shard) -> asked.put(shard, this.leaseHolds.from(shard)));
		CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
			.orTimeout(HELD_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
			.whenCompleteAsync((done, failure) -> {
				Map<String, ShardHold> held = new LinkedHashMap<>();
				asked.forEach((shard, future) -> {
					ShardHold hold = future.getNow(null);
					if (hold != null) {
						held.put(shard, hold);
					}
				});
				move(mine, held, () -> {
					lost.forEach(this.leaseHolds::done);
					if (this.pass == mine) {
						this.underWay = false;
						then.run();
					}
				});
			}, this.loop);
	}

	/** Lists nothing more. */
	void stop() {
		this.pass++;
		this.underWay = false;
	}

	boolean isUnderWay() {
		return this.underWay;
	}

	private void move(int mine, Map<String, ShardHold> held, Runnable ended) {
		if (this.pass != mine || held.isEmpty()) {
			ended.run();
			return;
		}
		held.values().forEach(this.unavailableShards::lost);
		Set<String> shards = held.keySet();
		String selector = ShardingLabels.shard(this.scope.ring()) + " in (" + String.join(",", shards) + ")";
		CompletableFuture
			.allOf(this.scope.main()
				.stream()
				.map((main) -> this.lists.list(main, selector, () -> this.pass != mine,
						(page) -> this.found.apply(page.objects())))
				.toArray(CompletableFuture[]::new))
			.whenCompleteAsync(
					(listed, failure) -> endWhenQuiet(mine, (failure == null) ? MOVED_WITHIN_LOOKS : 0, ended),
					this.loop);
	}

	private void endWhenQuiet(int mine, int looks, Runnable ended) {
		boolean quiet = this.mainObjects.isIdle() && this.unavailableShards.isListed();
		if (this.pass == mine && looks > 0 && !quiet) {
			this.loop.schedule(() -> endWhenQuiet(mine, looks - 1, ended), LOOK_EVERY);
		}
		else {
			ended.run();
		}
	}

}
