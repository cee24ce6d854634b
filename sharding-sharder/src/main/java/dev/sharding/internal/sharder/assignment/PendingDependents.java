package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import dev.sharding.internal.core.assignment.AssignmentDecision;
import dev.sharding.internal.core.assignment.HandOver;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject.ObjectId;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue.Priority;
import dev.sharding.internal.sharder.assignment.placement.Placement;
import dev.sharding.internal.sharder.assignment.placement.Placement.Outcome;
import dev.sharding.internal.sharder.assignment.placement.PlacementReports;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.shardlease.ShardHold;
import dev.sharding.internal.sharder.watch.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * The controlled objects of hand-overs, as they were seen last, until their main object
 * has followed. Membership may change in between: then they bear the label of a shard
 * that was right, and no list by the label of the shard that they left finds them. All
 * but {@link #settle} and {@link #move} may be called by any thread.
 */
final class PendingDependents {

	/* What is never followed, such as what an object leaves that was deleted. */
	private static final long KEEP_NANOS = Duration.ofMinutes(10).toNanos();

	private final Map<ShardingKey, Map<ObjectId, Seen>> objects = new ConcurrentHashMap<>();

	private final RingScope scope;

	private final Placer placer;

	private final LeaseHolds leaseHolds;

	private final EventLoop loop;

	private final PlacementReports reports;

	private final LongSupplier nanoTime;

	PendingDependents(RingScope scope, Placer placer, LeaseHolds leaseHolds, EventLoop loop, PlacementReports reports,
			LongSupplier nanoTime) {
		this.scope = scope;
		this.placer = placer;
		this.leaseHolds = leaseHolds;
		this.loop = loop;
		this.reports = reports;
		this.nanoTime = nanoTime;
	}

	/** A controlled object was placed, or not, before its main object. */
	Placement placed(ShardingKey main, Placement placement) {
		this.objects.compute(main, (same, known) -> {
			Map<ObjectId, Seen> all = (known != null) ? known : new ConcurrentHashMap<>();
			ShardedObject object = placement.object();
			if (counts(main, placement)) {
				all.merge(object.id(), new Seen(object, this.nanoTime.getAsLong()), Seen::newest);
			}
			else {
				all.remove(object.id());
			}
			return all.isEmpty() ? null : all;
		});
		return placement;
	}

	/** A resync placed a controlled object, whose main object may be on its way. */
	void placedByResync(Placement placement) {
		ShardingKey main = placement.object().shardingKey();
		if (main != null && isKnown(main)) {
			placed(main, placement);
		}
	}

	/** Tells whether objects moved that the main object has not followed yet. */
	boolean isKnown(ShardingKey main) {
		return this.objects.containsKey(main);
	}

	/** Tells whether all that moved is where a ring wants it. */
	boolean isSettled(ShardingKey main, HashRing by) {
		return astray(main, by).isEmpty();
	}

	/**
	 * Moves what a change of membership left in the wrong place: from an unavailable
	 * shard under a hold on that one. To be called on the ring's thread.
	 * @return {@code false} if a shard that something has to leave is not held; never
	 * fails
	 */
	CompletableFuture<Boolean> settle(ShardingKey main) {
		CompletableFuture<List<Placement>> underWay = this.placer.underWay().of(main);
		return (underWay == null) ? settleAll(main) : underWay.thenComposeAsync((placements) -> {
			placements.forEach((placement) -> placed(main, placement));
			return settleAll(main);
		}, this.loop);
	}

	private CompletableFuture<Boolean> settleAll(ShardingKey main) {
		List<ShardedObject> astray = astray(main, this.placer.ring());
		ShardedObject owned = astray.stream().filter(this.placer::leavesAvailable).findFirst().orElse(null);
		if (owned == null) {
			return moveAll(main, astray);
		}
		// An available shard that has it may have got the main object as well.
		return this.placer.lookAtMain(owned, main).thenComposeAsync((found) -> {
			if (found.outcome() == Outcome.FAILED) {
				return CompletableFuture.completedFuture(false);
			}
			String owner = (found.outcome() == Outcome.SETTLED) ? found.object().shard(this.scope.ring()) : null;
			Map<Boolean, List<ShardedObject>> claimed = astray.stream()
				.collect(Collectors
					.partitioningBy((object) -> owner != null && owner.equals(object.shard(this.scope.ring()))));
			// The main object has changed since, which its own patch will find.
			claimed.getOrDefault(true, List.of()).forEach((object) -> forget(main, object));
			return moveAll(main, claimed.getOrDefault(false, List.of()));
		}, this.loop);
	}

	private CompletableFuture<Boolean> moveAll(ShardingKey main, List<ShardedObject> objects) {
		return Placement.allHeld(objects.stream()
			.map((object) -> move(object, null).thenApply((placement) -> placed(main, this.reports.report(placement))))
			.toList());
	}

	private void forget(ShardingKey main, ShardedObject object) {
		this.objects.computeIfPresent(main, (same, all) -> {
			all.remove(object.id());
			return all.isEmpty() ? null : all;
		});
	}

	/**
	 * Moves a controlled object that nobody has a claim on. Its shard need not be the one
	 * that the main object left: that may be unknown, or lost meanwhile. Whoever is not
	 * available may come back unless it is held. To be called on the ring's thread.
	 * @param hold on the shard that the main object leaves
	 */
	CompletableFuture<Placement> move(ShardedObject object, @Nullable ShardHold hold) {
		String left = object.shard(this.scope.ring());
		if (left == null || this.placer.isOwned(object, this.placer.ring())
				|| (hold != null && hold.shard().equals(left))) {
			return this.placer.place(object, HandOver.NONE, Priority.URGENT, hold);
		}
		return this.leaseHolds.from(left)
			.thenComposeAsync((held) -> (held != null) ? this.placer.place(object, HandOver.NONE, Priority.URGENT, held)
					: CompletableFuture.completedFuture(Placement.of(Outcome.UNHELD, object)), this.loop)
			.whenCompleteAsync((placement, failure) -> this.leaseHolds.done(left), this.loop);
	}

	/** The main object has followed, or is gone. */
	void followed(ShardingKey main) {
		this.objects.remove(main);
	}

	/** Forgets what was seen long ago. */
	void tidy() {
		long now = this.nanoTime.getAsLong();
		this.objects.values().removeIf((all) -> all.values().stream().allMatch((seen) -> now - seen.at > KEEP_NANOS));
	}

	private List<ShardedObject> astray(ShardingKey main, HashRing by) {
		Collection<Seen> all = this.objects.getOrDefault(main, Map.of()).values();
		List<ShardedObject> astray = new ArrayList<>();
		for (Seen seen : all) {
			AssignmentDecision decision = this.placer.decide(seen.object, HandOver.NONE, by);
			if (decision instanceof AssignmentDecision.Move || decision instanceof AssignmentDecision.Assign) {
				astray.add(seen.object);
			}
		}
		return astray;
	}

	/*
	 * What the API server refuses, for good or for long, or somebody takes the label off
	 * of at once, does not keep its main object from getting an owner. What the fence
	 * refused is to be tried again.
	 */
	private boolean counts(ShardingKey main, Placement placement) {
		String shard = placement.object().shard(this.scope.ring());
		return main.equals(placement.object().shardingKey()) && switch (placement.outcome()) {
			case SETTLED, UNHELD, DROPPED -> true;
			case PATCHED -> shard != null;
			case FAILED -> placement.isFenced();
			case GONE, PUT_OFF -> false;
		};
	}

	private record Seen(ShardedObject object, long at) {

		private Seen newest(Seen other) {
			Order order = ResourceVersions.compare(other.object.resourceVersion(), this.object.resourceVersion());
			return (order == Order.BEFORE) ? this : other;
		}

	}

}
