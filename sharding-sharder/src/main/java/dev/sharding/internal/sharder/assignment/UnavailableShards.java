package dev.sharding.internal.sharder.assignment;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.sharding.internal.core.assignment.HandOver;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue.Priority;
import dev.sharding.internal.sharder.assignment.placement.Placement;
import dev.sharding.internal.sharder.assignment.placement.Placement.Outcome;
import dev.sharding.internal.sharder.assignment.placement.PlacementReports;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.shardlease.ShardHold;
import org.jspecify.annotations.Nullable;

/**
 * The controlled objects of shards that became unavailable. Their owners' claims ended
 * all at once, so one list for each resource serves all main objects, whenever these show
 * up; what it finds is moved page by page as it is read. Of that, only what is on its way
 * is kept, of a few shards at a time. Lives on the ring's thread.
 */
final class UnavailableShards {

	/* Each has a page in memory, and as much on its way as there is room for. */
	private static final int LISTED_AT_A_TIME = 8;

	private final RingScope scope;

	private final ControlledLists lists;

	private final Placer placer;

	private final PendingDependents pendingDependents;

	private final PlacementReports reports;

	private final Supplier<Room> rooms;

	private final Turns turns;

	private final Map<String, Lost> shards = new HashMap<>();

	private final Set<String> left = ConcurrentHashMap.newKeySet();

	UnavailableShards(RingScope scope, ControlledLists lists, Placer placer, PendingDependents pendingDependents,
			PlacementReports reports, Supplier<Room> rooms, Executor loop) {
		this.scope = scope;
		this.lists = lists;
		this.placer = placer;
		this.pendingDependents = pendingDependents;
		this.reports = reports;
		this.rooms = rooms;
		this.turns = new Turns(LISTED_AT_A_TIME, loop);
	}

	/** Moves what is controlled by the objects of a shard that is held since lately. */
	void lost(ShardHold hold) {
		Lost known = this.shards.get(hold.shard());
		if (known != null && known.hold.number() == hold.number() && known.ring == this.placer.ring()) {
			return;
		}
		Lost begun = new Lost(hold, this.placer.ring(), this.rooms.get());
		this.shards.put(hold.shard(), begun);
		this.left.add(hold.shard());
		this.turns.take(() -> list(begun));
	}

	/* Completes when all that was found has moved, but for what hangs. */
	private CompletableFuture<Void> list(Lost lost) {
		// Under a hold that has ended nothing moves.
		BooleanSupplier over = () -> lost.ring != this.placer.ring() || !lost.hold.isValid();
		return this.lists.list(this.scope.controlled(), lost.hold.shard(), over, (page) -> {
			page.forEach((object) -> move(lost, object));
			return lost.room.free();
		}).thenCompose((listed) -> {
			lost.listed.complete(null);
			return lost.room.idle();
		});
	}

	/**
	 * Tells whether what a shard had may be with others by now, as an earlier ring wanted
	 * it: then its label does not lead there any more. May be asked by any thread.
	 */
	boolean mayHaveLeft(String shard) {
		return this.left.contains(shard);
	}

	/** All objects are where they belong. */
	void tidy() {
		this.left.clear();
	}

	/** Forgets all shards. */
	void forget() {
		this.shards.clear();
	}

	/** Tells whether the controlled objects of all shards are known. */
	boolean isListed() {
		return this.shards.values().stream().allMatch((shard) -> shard.listed.isDone());
	}

	/**
	 * Tells when what a main object controls has moved by the ring as it is now, as far
	 * as it could.
	 * @param hold under which the main object leaves its shard
	 * @return {@code null} if the shard was not lost lately, so that one has to look;
	 * never fails
	 */
	@Nullable CompletableFuture<Void> moved(ShardHold hold, ShardingKey main) {
		Lost lost = this.shards.get(hold.shard());
		if (lost == null || lost.hold.number() != hold.number() || lost.ring != this.placer.ring()) {
			return null;
		}
		return lost.listed.thenCompose((listed) -> CompletableFuture
			.allOf(lost.moving.getOrDefault(main, List.of()).toArray(CompletableFuture[]::new)));
	}

	private void move(Lost lost, ShardedObject object) {
		ShardingKey main = object.shardingKey();
		if (main == null) {
			return;
		}
		CompletableFuture<Void> move = this.placer.place(object, HandOver.NONE, Priority.URGENT, lost.hold)
			.thenAccept((placement) -> moved(main, placement));
		lost.room.take(move);
		lost.moving.merge(main, List.of(move), UnavailableShards::joined);
		move.thenRun(() -> lost.moving.computeIfPresent(main, (same, moves) -> without(moves, move)));
	}

	/*
	 * If the ring changes before the main object has followed, all is looked for again.
	 */
	private void moved(ShardingKey main, Placement placement) {
		this.reports.report(placement);
		if (placement.outcome() != Outcome.PATCHED && placement.outcome() != Outcome.SETTLED) {
			this.pendingDependents.placed(main, placement);
		}
	}

	private static List<CompletableFuture<Void>> joined(List<CompletableFuture<Void>> some,
			List<CompletableFuture<Void>> others) {
		return Stream.concat(some.stream(), others.stream()).toList();
	}

	private static @Nullable List<CompletableFuture<Void>> without(List<CompletableFuture<Void>> moves,
			CompletableFuture<Void> over) {
		List<CompletableFuture<Void>> rest = moves.stream().filter((move) -> move != over).toList();
		return rest.isEmpty() ? null : rest;
	}

	private record Lost(ShardHold hold, HashRing ring, CompletableFuture<Void> listed, Room room,
			Map<ShardingKey, List<CompletableFuture<Void>>> moving) {

		private Lost(ShardHold hold, HashRing ring, Room room) {
			this(hold, ring, new CompletableFuture<>(), room, new ConcurrentHashMap<>());
		}

	}

}
