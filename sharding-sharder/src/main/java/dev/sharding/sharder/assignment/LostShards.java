package dev.sharding.sharder.assignment;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.core.assignment.HandOver;
import dev.sharding.core.key.ShardingKey;
import dev.sharding.sharder.assignment.PatchQueue.Priority;
import org.jspecify.annotations.Nullable;

/**
 * The controlled objects of shards that became unavailable. Their owners' claims ended
 * all at once, so one list for each resource serves all main objects, whenever these show
 * up; and what it finds is moved at once. Lives on the ring's thread.
 */
final class LostShards {

	private final RingScope scope;

	private final ControlledLists lists;

	private final Placer placer;

	private final PlacementReports reports;

	private final Map<String, Lost> shards = new HashMap<>();

	LostShards(RingScope scope, ControlledLists lists, Placer placer, PlacementReports reports) {
		this.scope = scope;
		this.lists = lists;
		this.placer = placer;
		this.reports = reports;
	}

	/** Moves what is controlled by the objects of a shard that has just been lost. */
	void lost(String shard) {
		Lost begun = new Lost();
		this.shards.put(shard, begun);
		this.lists.list(this.scope.controlled(), shard, (page) -> page.forEach((object) -> move(begun, object)))
			.thenRun(() -> begun.listed.complete(null));
	}

	/** Forgets all shards but those. */
	void retain(Collection<String> lost) {
		this.shards.keySet().retainAll(lost);
	}

	/** Tells whether the controlled objects of all shards are known. */
	boolean isListed() {
		return this.shards.values().stream().allMatch((shard) -> shard.listed.isDone());
	}

	/**
	 * Tells when what a main object controls has moved.
	 * @return {@code null} if the shard was not lost lately, so that one has to look;
	 * never fails
	 */
	@Nullable CompletableFuture<Void> moved(String shard, ShardingKey main) {
		Lost lost = this.shards.get(shard);
		return (lost == null) ? null : lost.listed.thenCompose((listed) -> CompletableFuture
			.allOf(lost.moves.getOrDefault(main, List.of()).toArray(CompletableFuture[]::new)));
	}

	private void move(Lost lost, ShardedObject object) {
		ShardingKey key = object.shardingKey();
		if (key != null) {
			lost.moves.computeIfAbsent(key, (same) -> Collections.synchronizedList(new ArrayList<>()))
				.add(this.placer.place(object, HandOver.NONE, Priority.URGENT).thenApply(this.reports::report));
		}
	}

	private record Lost(CompletableFuture<Void> listed, Map<ShardingKey, List<CompletableFuture<?>>> moves) {

		private Lost() {
			this(new CompletableFuture<>(), new ConcurrentHashMap<>());
		}

	}

}
