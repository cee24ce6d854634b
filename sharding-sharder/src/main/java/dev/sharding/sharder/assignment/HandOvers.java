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

	private static final String ANY_SHARD = "";

	private final RingScope scope;

	private final ControlledLists lists;

	private final LostShards lostShards;

	private final Placer placer;

	private final EventLoop loop;

	private final PlacementReports reports;

	private final Map<String, Batch> gathering = new HashMap<>();

	private final Set<String> listing = new LinkedHashSet<>();

	HandOvers(RingScope scope, ControlledLists lists, LostShards lostShards, Placer placer, EventLoop loop,
			PlacementReports reports) {
		this.scope = scope;
		this.lists = lists;
		this.lostShards = lostShards;
		this.placer = placer;
		this.loop = loop;
		this.reports = reports;
	}

	/**
	 * Hands over a main object that nobody has a claim on.
	 * @param oldShard whose controlled objects go with it; {@code null} if that is not
	 * known, then all are looked through
	 * @return what became of the main object; never fails
	 */
	CompletableFuture<Placement> add(ShardedObject main, ShardingKey key, @Nullable String oldShard) {
		String shard = (oldShard != null) ? oldShard : ANY_SHARD;
		CompletableFuture<Void> moved = this.lostShards.moved(shard, key);
		if (moved != null) {
			return moved
				.thenCompose((done) -> this.placer.place(main, HandOver.CONTROLLED_OBJECTS_MOVED, Priority.URGENT));
		}
		Batch batch = this.gathering.get(shard);
		if (batch == null) {
			batch = new Batch(shard);
			this.gathering.put(shard, batch);
			if (!this.listing.contains(shard)) {
				this.loop.schedule(() -> start(shard), LINGER);
			}
		}
		CompletableFuture<Placement> result = new CompletableFuture<>();
		batch.members.put(key, new Member(main, result));
		return result;
	}

	private void start(String shard) {
		if (this.listing.contains(shard)) {
			return;
		}
		Batch batch = this.gathering.remove(shard);
		if (batch == null) {
			return;
		}
		this.listing.add(shard);
		Set<ShardedResource> resources = new LinkedHashSet<>();
		batch.members.values()
			.forEach((member) -> resources
				.addAll(this.scope.resources().getOrDefault(member.main.resource(), List.of())));
		this.lists.list(resources, shard.equals(ANY_SHARD) ? null : shard, batch::add).thenRunAsync(() -> {
			move(batch);
			this.loop.schedule(() -> {
				this.listing.remove(shard);
				start(shard);
			}, BETWEEN_LISTS);
		}, this.loop);
	}

	private void move(Batch batch) {
		batch.members.forEach((key, member) -> {
			Collection<ShardedObject> controlled = batch.controlled.getOrDefault(key, Map.of()).values();
			List<CompletableFuture<Placement>> moves = new ArrayList<>(controlled.size());
			for (ShardedObject object : controlled) {
				moves.add(this.placer.place(object, HandOver.NONE, Priority.URGENT).thenApply(this.reports::report));
			}
			CompletableFuture.allOf(moves.toArray(CompletableFuture[]::new))
				.thenCompose(
						(done) -> this.placer.place(member.main, HandOver.CONTROLLED_OBJECTS_MOVED, Priority.URGENT))
				.thenAccept(member.result::complete);
		});
	}

	private record Member(ShardedObject main, CompletableFuture<Placement> result) {
	}

	/**
	 * Main objects that left one shard. Members are added on the ring's thread before the
	 * list begins; controlled objects by the list, of which two may run at a time.
	 */
	private static final class Batch {

		private final String shard;

		private final Map<ShardingKey, Member> members = new LinkedHashMap<>();

		private final Map<ShardingKey, Map<ShardedObject.ObjectId, ShardedObject>> controlled = new ConcurrentHashMap<>();

		private Batch(String shard) {
			this.shard = shard;
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
