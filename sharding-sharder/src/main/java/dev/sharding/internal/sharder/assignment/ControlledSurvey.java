package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import dev.sharding.internal.core.assignment.AssignmentDecision;
import dev.sharding.internal.core.assignment.HandOver;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue.Priority;
import dev.sharding.internal.sharder.assignment.placement.Placement;
import dev.sharding.internal.sharder.assignment.placement.Placement.Outcome;
import dev.sharding.internal.sharder.assignment.placement.PlacementReports;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.shardlease.ShardHold;
import dev.sharding.internal.sharder.watch.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * One pass over all controlled objects of a ring, for main objects of unknown past that
 * are too many to be looked for one by one. A controlled object names its main object, so
 * where it belongs follows from the ring alone: what no available shard has moves page by
 * page as it is read, and is forgotten. What an available shard has in the wrong place
 * stays there until its main object comes, as that may be with the same shard; it is kept
 * in mind, and so is what cannot leave its shard yet. Where that is too much, it is the
 * main object that is looked at; and where what cannot leave is too much, a mark is all
 * that is kept of its main object, which another survey has to find.
 */
final class ControlledSurvey {

	/** How much is usually kept in mind, of each kind. */
	static final int KEPT_IN_MIND = 10_000;

	/* Who is not held by then may not be for long. */
	private static final Duration HELD_WITHIN = Duration.ofSeconds(1);

	/* All main objects wait for the end of the pass, so nothing holds it up for ever. */
	private static final Duration HELD_AT_LAST = Duration.ofSeconds(20);

	/* An object whose patch hangs holds up its own main object only. */
	private static final Duration MOVED_AT_LAST = Duration.ofSeconds(30);

	private final RingScope scope;

	private final HashRing ring;

	private final Placer placer;

	private final LeaseHolds leaseHolds;

	private final PendingDependents pendingDependents;

	private final Predicate<ShardingKey> changingHands;

	private final EventLoop loop;

	private final PlacementReports reports;

	private final Room room;

	/* What is on its way; no more than there is room for. */
	private final Map<CompletableFuture<Placement>, ShardedObject> moving = new ConcurrentHashMap<>();

	private final Map<ShardingKey, List<ShardedObject>> astray = new ConcurrentHashMap<>();

	private final int most;

	private final AtomicInteger kept = new AtomicInteger();

	/* How much could not leave its shard, and the main objects of what was too much. */
	private final AtomicInteger remained = new AtomicInteger();

	private final KeyMarks leftBehind = new KeyMarks();

	/* On the ring's thread only. */
	private final Map<String, CompletableFuture<@Nullable ShardHold>> holds = new HashMap<>();

	/* Shards that could not be held at last. */
	private final Set<String> unheld = ConcurrentHashMap.newKeySet();

	private final CompletableFuture<Void> done;

	/**
	 * Begins the pass; to be called on the ring's thread.
	 * @param resources what to go over
	 * @param changingHands whether something is under way for a main object
	 * @param most how much is kept in mind of what stays until its main object comes, and
	 * of what cannot leave its shard yet
	 */
	ControlledSurvey(RingScope scope, Collection<ShardedResource> resources, ControlledLists lists, Placer placer,
			LeaseHolds leaseHolds, PendingDependents pendingDependents, Predicate<ShardingKey> changingHands,
			EventLoop loop, PlacementReports reports, Room room, int most) {
		this.scope = scope;
		this.ring = placer.ring();
		this.placer = placer;
		this.leaseHolds = leaseHolds;
		this.pendingDependents = pendingDependents;
		this.changingHands = changingHands;
		this.loop = loop;
		this.reports = reports;
		this.room = room;
		this.most = most;
		this.done = lists.list(resources, null, () -> placer.ring() != this.ring, this::move)
			.thenCompose((listed) -> this.room.empty()
				.completeOnTimeout(null, MOVED_AT_LAST.toMillis(), TimeUnit.MILLISECONDS))
			.thenRunAsync(this::end, loop);
	}

	/** The ring by which it moves. */
	HashRing ring() {
		return this.ring;
	}

	/** Completes when all has moved that could; never fails. */
	CompletableFuture<Void> done() {
		return this.done.copy();
	}

	/** What a main object controls and has still to move before it. */
	List<ShardedObject> astray(ShardingKey main) {
		return this.astray.getOrDefault(main, List.of());
	}

	/**
	 * Whether a main object controls something that has to move before it and was not
	 * kept in mind, or may do so.
	 */
	boolean mayHaveLeftBehind(ShardingKey main) {
		return this.leftBehind.mayContain(main);
	}

	/*
	 * The main object of what is still on its way waits for it, and so does the hold: a
	 * patch that hangs may take effect later.
	 */
	private void end() {
		this.moving.values().forEach(this::await);
		this.room.empty().thenRunAsync(() -> this.holds.keySet().forEach(this.leaseHolds::done), this.loop);
	}

	private void await(ShardedObject object) {
		ShardingKey main = object.shardingKey();
		if (main != null) {
			await(main, Placement.of(Outcome.UNHELD, object));
		}
	}

	private void await(ShardingKey main, Placement unheld) {
		if (this.remained.incrementAndGet() <= this.most) {
			this.pendingDependents.placed(main, unheld);
		}
		else {
			this.leftBehind.add(main);
		}
	}

	private CompletableFuture<?> move(List<ShardedObject> page) {
		List<CompletableFuture<?>> waits = new ArrayList<>();
		for (ShardedObject object : page) {
			ShardingKey main = object.shardingKey();
			AssignmentDecision decision = this.placer.decide(object, HandOver.NONE, this.ring);
			if (main != null
					&& (decision instanceof AssignmentDecision.Assign || decision instanceof AssignmentDecision.Move)) {
				waits.add(move(object, main));
			}
		}
		waits.add(this.room.free());
		return CompletableFuture.allOf(waits.toArray(CompletableFuture[]::new)).thenCompose((all) -> this.room.free());
	}

	/* Completes when it is on its way or kept in mind. */
	private CompletableFuture<?> move(ShardedObject object, ShardingKey main) {
		String left = object.shard(this.scope.ring());
		if (left == null) {
			send(object, main, null);
			return CompletableFuture.completedFuture(null);
		}
		if (this.placer.isOwned(object, this.ring)) {
			return remains(object, main) ? CompletableFuture.completedFuture(null) : ask(object, main);
		}
		return hold(left).thenCompose((hold) -> {
			if (hold != null) {
				send(object, main, hold);
			}
			else if (!remains(object, main)) {
				return this.room.free().thenRun(() -> leave(object, main, left));
			}
			return CompletableFuture.completedFuture(null);
		});
	}

	private CompletableFuture<@Nullable ShardHold> hold(String shard) {
		return CompletableFuture.supplyAsync(() -> {
			CompletableFuture<@Nullable ShardHold> known = this.holds.get(shard);
			ShardHold granted = (known != null) ? known.getNow(null) : null;
			if (known != null && (granted == null || granted.isValid())) {
				return known;
			}
			if (known != null) {
				this.leaseHolds.done(shard);
			}
			CompletableFuture<@Nullable ShardHold> asked = this.leaseHolds.from(shard)
				.completeOnTimeout(null, HELD_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
			this.holds.put(shard, asked);
			return asked;
		}, this.loop).thenCompose((held) -> held);
	}

	private boolean remains(ShardedObject object, ShardingKey main) {
		if (this.kept.incrementAndGet() > this.most) {
			this.kept.decrementAndGet();
			return false;
		}
		this.astray.compute(main, (same, known) -> {
			List<ShardedObject> all = (known != null) ? new ArrayList<>(known) : new ArrayList<>(1);
			all.add(object);
			return all;
		});
		return true;
	}

	/* Nothing of it is kept but what the main object must wait for. */
	private void send(ShardedObject object, ShardingKey main, @Nullable ShardHold hold) {
		take(object, main, this.placer.placeOnlyBy(this.ring, object, HandOver.NONE, Priority.BULK, hold));
	}

	private void take(ShardedObject object, ShardingKey main, CompletableFuture<Placement> placing) {
		this.moving.put(placing, object);
		this.room.take(placing.thenAccept((placement) -> {
			this.moving.remove(placing);
			sent(main, placement);
		}));
	}

	/*
	 * It waits for the Lease of its shard, and others with it. If that takes too long,
	 * only its main object goes on waiting.
	 */
	private void leave(ShardedObject object, ShardingKey main, String left) {
		if (this.unheld.contains(left)) {
			sent(main, Placement.of(Outcome.UNHELD, object));
			return;
		}
		CompletableFuture<Placement> departed = new CompletableFuture<>();
		take(object, main, departed);
		this.loop.execute(() -> this.leaseHolds.from(left)
			.completeOnTimeout(null, HELD_AT_LAST.toMillis(), TimeUnit.MILLISECONDS)
			.thenCompose((hold) -> {
				if (hold == null) {
					this.unheld.add(left);
				}
				return this.placer.placeOnlyBy(this.ring, object, HandOver.NONE, Priority.BULK, hold);
			})
			.thenAccept(departed::complete)
			.whenCompleteAsync((done, failure) -> this.leaseHolds.done(left), this.loop));
	}

	private void sent(ShardingKey main, Placement placement) {
		this.reports.report(placement);
		boolean moved = placement.outcome() == Outcome.PATCHED || placement.outcome() == Outcome.SETTLED;
		if (placement.outcome() == Outcome.UNHELD) {
			await(main, placement);
		}
		else if (!moved || this.pendingDependents.isKnown(main)) {
			this.pendingDependents.placed(main, placement);
		}
	}

	/*
	 * Its main object is with somebody, then it stays there, or nobody has that. If it is
	 * being given to somebody, such as by a patch that an earlier ring sent, nobody knows
	 * yet: then that one goes with its main object.
	 */
	private CompletableFuture<Void> ask(ShardedObject object, ShardingKey main) {
		if (this.changingHands.test(main)) {
			await(object);
			return CompletableFuture.completedFuture(null);
		}
		return this.placer.lookAtMain(object, main).thenAccept((placement) -> {
			if (placement.outcome() == Outcome.GONE || (placement.outcome() == Outcome.SETTLED
					&& !this.placer.isOwned(placement.object(), this.ring))) {
				send(object, main, null);
			}
			else if (placement.outcome() == Outcome.FAILED) {
				// Nobody knows, so the main object must not go before it.
				await(object);
			}
		});
	}

}
