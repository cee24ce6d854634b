package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.core.assignment.HandOver;
import dev.sharding.core.key.ShardingKey;
import dev.sharding.sharder.assignment.PatchQueue.Priority;
import dev.sharding.sharder.assignment.Placement.Outcome;
import dev.sharding.sharder.hold.ShardHold;
import dev.sharding.sharder.loop.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * Hands over main objects whose claim has ended: first their controlled objects get the
 * new label, then they do. The controlled objects are found by one list per resource that
 * begins after the claim ended and is shared by all main objects that left the same shard
 * meanwhile. Lives on the ring's thread.
 */
final class HandOvers {

	private static final Duration LINGER = Duration.ofMillis(10);

	private static final Duration BETWEEN_LISTS = Duration.ofMillis(150);

	/* Where owners let go slowly, a longer pause costs no pace and saves lists. */
	private static final Duration BETWEEN_LISTS_FOR_FEW = Duration.ofMillis(300);

	private static final int FEW = 32;

	private static final String ANY_SHARD = "";

	private final RingScope scope;

	private final ControlledLists lists;

	private final LostShards lostShards;

	private final Placer placer;

	private final EventLoop loop;

	private final PlacementReports reports;

	private final HandOverOrder order;

	private final Map<Origin, Batch> gathering = new HashMap<>();

	private final Set<Origin> listing = new LinkedHashSet<>();

	HandOvers(RingScope scope, ControlledLists lists, LostShards lostShards, Placer placer, EventLoop loop,
			PlacementReports reports, HandOverOrder order) {
		this.scope = scope;
		this.lists = lists;
		this.lostShards = lostShards;
		this.placer = placer;
		this.loop = loop;
		this.reports = reports;
		this.order = order;
	}

	/**
	 * Hands over a main object that nobody has a claim on.
	 * @param oldShard whose controlled objects go with it; {@code null} if that is not
	 * known, then all are looked through
	 * @param hold on the shard that it leaves, {@code null} if that gave it up
	 * @return what became of the main object; never fails
	 */
	CompletableFuture<Placement> add(ShardedObject main, ShardingKey key, @Nullable String oldShard,
			@Nullable ShardHold hold) {
		CompletableFuture<Boolean> moved = (hold != null) ? this.lostShards.moved(hold, key) : null;
		if (moved != null) {
			return this.order.run(() -> moved, (all) -> finish(main, hold, all));
		}
		Origin origin = new Origin((oldShard != null) ? oldShard : ANY_SHARD, (hold != null) ? hold.number() : -1);
		Batch batch = this.gathering.get(origin);
		if (batch == null) {
			batch = new Batch(hold);
			this.gathering.put(origin, batch);
			if (!this.listing.contains(origin)) {
				this.loop.schedule(() -> start(origin), LINGER);
			}
		}
		CompletableFuture<Placement> result = new CompletableFuture<>();
		batch.members.put(key, new Member(main, result));
		return result;
	}

	private void start(Origin origin) {
		if (this.listing.contains(origin)) {
			return;
		}
		Batch batch = this.gathering.remove(origin);
		if (batch == null) {
			return;
		}
		this.listing.add(origin);
		Set<ShardedResource> resources = new LinkedHashSet<>();
		batch.members.values()
			.forEach((member) -> resources
				.addAll(this.scope.resources().getOrDefault(member.main.resource(), List.of())));
		String shard = origin.shard.equals(ANY_SHARD) ? null : origin.shard;
		this.lists.list(resources, shard, batch::add).thenRunAsync(() -> {
			move(batch);
			this.loop.schedule(() -> {
				this.listing.remove(origin);
				start(origin);
			}, (batch.members.size() < FEW) ? BETWEEN_LISTS_FOR_FEW : BETWEEN_LISTS);
		}, this.loop);
	}

	private void move(Batch batch) {
		batch.members.forEach((key, member) -> {
			Collection<ShardedObject> controlled = batch.controlled.getOrDefault(key, Map.of()).values();
			this.order.run(() -> moveControlled(controlled, batch.hold), (all) -> finish(member.main, batch.hold, all))
				.thenAccept(member.result::complete);
		});
	}

	private CompletableFuture<Boolean> moveControlled(Collection<ShardedObject> controlled, @Nullable ShardHold hold) {
		List<CompletableFuture<Placement>> moves = new ArrayList<>(controlled.size());
		for (ShardedObject object : controlled) {
			moves.add(this.placer.place(object, HandOver.NONE, Priority.URGENT, hold).thenApply(this.reports::report));
		}
		return Placement.allHeld(moves);
	}

	private CompletableFuture<Placement> finish(ShardedObject main, @Nullable ShardHold hold, boolean controlledMoved) {
		return controlledMoved ? this.placer.place(main, HandOver.CONTROLLED_OBJECTS_MOVED, Priority.URGENT, hold)
				: CompletableFuture.completedFuture(Placement.of(Outcome.UNHELD, main));
	}

	/**
	 * Whose objects a batch holds, and under which hold they leave.
	 */
	private record Origin(String shard, long hold) {
	}

	private record Member(ShardedObject main, CompletableFuture<Placement> result) {
	}

	/**
	 * Main objects that left one shard. Members are added on the ring's thread before the
	 * list begins; controlled objects by the list, of which two may run at a time.
	 */
	private static final class Batch {

		private final @Nullable ShardHold hold;

		private final Map<ShardingKey, Member> members = new LinkedHashMap<>();

		private final Map<ShardingKey, Map<ShardedObject.ObjectId, ShardedObject>> controlled = new ConcurrentHashMap<>();

		private Batch(@Nullable ShardHold hold) {
			this.hold = hold;
		}

		private void add(List<ShardedObject> page) {
			for (ShardedObject object : page) {
				ShardingKey key = object.shardingKey();
				if (key != null && this.members.containsKey(key)) {
					this.controlled.computeIfAbsent(key, (same) -> new ConcurrentHashMap<>()).put(object.id(), object);
				}
			}
		}

	}

}
