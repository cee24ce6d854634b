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
import dev.sharding.sharder.hold.ShardHold;
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

	private final MovedAhead movedAhead;

	private final PlacementReports reports;

	private final Map<String, Lost> shards = new HashMap<>();

	LostShards(RingScope scope, ControlledLists lists, Placer placer, MovedAhead movedAhead, PlacementReports reports) {
		this.scope = scope;
		this.lists = lists;
		this.placer = placer;
		this.movedAhead = movedAhead;
		this.reports = reports;
	}

	/** Moves what is controlled by the objects of a shard that is held since lately. */
	void lost(ShardHold hold) {
		Lost known = this.shards.get(hold.shard());
		if (known != null && known.hold.number() == hold.number()) {
			return;
		}
		Lost begun = new Lost(hold);
		this.shards.put(hold.shard(), begun);
		this.lists.list(this.scope.controlled(), hold.shard(), (page) -> page.forEach((object) -> move(begun, object)))
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
	 * Tells when what a main object controls has moved, as far as it could.
	 * @param hold under which the main object leaves its shard
	 * @return {@code null} if the shard was not lost lately, so that one has to look;
	 * never fails
	 */
	@Nullable CompletableFuture<Void> moved(ShardHold hold, ShardingKey main) {
		Lost lost = this.shards.get(hold.shard());
		if (lost == null || lost.hold.number() != hold.number()) {
			return null;
		}
		return lost.listed.thenCompose((listed) -> CompletableFuture
			.allOf(lost.moves.getOrDefault(main, List.of()).toArray(CompletableFuture[]::new)));
	}

	private void move(Lost lost, ShardedObject object) {
		ShardingKey key = object.shardingKey();
		if (key != null) {
			lost.moves.computeIfAbsent(key, (same) -> Collections.synchronizedList(new ArrayList<>()))
				.add(this.placer.place(object, HandOver.NONE, Priority.URGENT, lost.hold)
					.thenApply((placement) -> this.movedAhead.placed(key, this.reports.report(placement))));
		}
	}

	private record Lost(ShardHold hold, CompletableFuture<Void> listed,
			Map<ShardingKey, List<CompletableFuture<Placement>>> moves) {

		private Lost(ShardHold hold) {
			this(hold, new CompletableFuture<>(), new ConcurrentHashMap<>());
		}

	}

}
