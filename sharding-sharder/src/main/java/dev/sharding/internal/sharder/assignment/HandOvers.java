package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.sharding.internal.core.assignment.HandOver;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.metadata.Source;
import dev.sharding.internal.sharder.assignment.metadata.Sources;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue.Priority;
import dev.sharding.internal.sharder.assignment.placement.Placement;
import dev.sharding.internal.sharder.assignment.placement.Placement.Outcome;
import dev.sharding.internal.sharder.assignment.placement.PlacementReports;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.shardlease.ShardHold;
import dev.sharding.internal.sharder.watch.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * Hands over main objects whose claim has ended: first their controlled objects get the
 * new label, then they do. The controlled objects come from the {@link Source} of the
 * shard that was asked to let go. Where there is none, or none of them is there to prove
 * that the source is up to date, they are found by {@link SharedLists}. Lives on the
 * ring's thread.
 */
final class HandOvers {

	private static final Duration LINGER = Duration.ofMillis(10);

	/* Longer than patches wait for their turn where the API server is slow. */
	private static final Duration PROVED_WITHIN = Duration.ofSeconds(30);

	private static final String ANY_SHARD = "";

	private static final long NO_HOLD = -1;

	private final RingScope scope;

	private final SharedLists lists;

	private final Sources sources;

	private final UnavailableShards unavailableShards;

	private final PendingDependents pendingDependents;

	private final Placer placer;

	private final EventLoop loop;

	private final PlacementReports reports;

	private final HandOverOrder order;

	private final Map<Origin, Batch> gathering = new HashMap<>();

	HandOvers(RingScope scope, ControlledLists lists, Sources sources, UnavailableShards unavailableShards,
			PendingDependents pendingDependents, Placer placer, EventLoop loop, PlacementReports reports,
			HandOverOrder order) {
		this.scope = scope;
		this.lists = new SharedLists(lists, loop);
		this.sources = sources;
		this.unavailableShards = unavailableShards;
		this.pendingDependents = pendingDependents;
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
		CompletableFuture<Void> moved = (hold != null) ? this.unavailableShards.moved(hold, key) : null;
		if (moved != null) {
			HashRing by = this.placer.ring();
			return this.order.run(() -> settle(moved, key),
					(all) -> finishOnlyBy(by, main, key, hold, Priority.LAST_STEP, all));
		}
		String from = (oldShard != null && !this.unavailableShards.mayHaveLeft(oldShard)) ? oldShard : null;
		Origin origin = new Origin((from != null) ? from : ANY_SHARD, (hold != null) ? hold.number() : NO_HOLD);
		Batch batch = this.gathering.get(origin);
		if (batch == null) {
			batch = new Batch(hold, from);
			this.gathering.put(origin, batch);
			this.loop.schedule(() -> start(origin), LINGER);
		}
		CompletableFuture<Placement> result = new CompletableFuture<>();
		batch.members.put(key, new Member(main, result));
		return result;
	}

	/**
	 * Hands over a main object that nobody has a claim on, and whose past nobody knows.
	 * @param hold on the shard that it leaves, {@code null} if it has none
	 * @param survey began after the main object was seen
	 * @return what became of the main object; never fails
	 */
	CompletableFuture<Placement> add(ShardedObject main, ShardingKey key, @Nullable ShardHold hold,
			ControlledSurvey survey) {
		List<ShardedObject> astray = survey.astray(key);
		CompletableFuture<Void> left = (hold != null) ? this.unavailableShards.moved(hold, key) : null;
		if (left == null && hold != null) {
			// Its shard may have come back for a while since the survey, and made more.
			this.unavailableShards.lost(hold);
			left = this.unavailableShards.moved(hold, key);
		}
		CompletableFuture<Void> moved = (left != null) ? left : CompletableFuture.completedFuture(null);
		if (astray.isEmpty()) {
			return this.order.run(() -> settle(moved, key),
					(all) -> finishOnlyBy(survey.ring(), main, key, hold, Priority.BULK, all));
		}
		return unlessMoved(main, (now) -> this.order.run(() -> settle(
				CompletableFuture.allOf(moved, moveControlled(new Batch(hold, null), key, astray, (placement) -> {
				})), key), (all) -> finishOnlyBy(survey.ring(), now, key, hold, Priority.BULK, all)));
	}

	private void start(Origin origin) {
		Batch batch = this.gathering.remove(origin);
		if (batch == null) {
			return;
		}
		Source source = (origin.hold == NO_HOLD) ? this.sources.of(origin.shard) : null;
		if (source != null) {
			move(batch, source, origin);
		}
		else {
			list(batch, origin, resources(batch)).thenRunAsync(() -> move(batch), this.loop);
		}
	}

	private CompletableFuture<Void> list(Batch batch, Origin origin, Set<ShardedResource> resources) {
		String shard = origin.shard.equals(ANY_SHARD) ? null : origin.shard;
		return this.lists.list(origin, shard, resources, batch.members.size(), batch::add);
	}

	private Set<ShardedResource> resources(Batch batch) {
		Set<ShardedResource> resources = new LinkedHashSet<>();
		batch.members.values()
			.forEach((member) -> resources
				.addAll(this.scope.resources().getOrDefault(member.main.resource(), List.of())));
		return resources;
	}

	private void move(Batch batch) {
		batch.members.forEach((key, member) -> {
			boolean mayBeClaimed = batch.from == null
					&& batch.listedFor(key).stream().anyMatch(this.placer::leavesAvailable);
			CompletableFuture<Placement> moved = mayBeClaimed ? unlessMoved(member.main, (now) -> move(batch, key, now))
					: move(batch, key, member.main);
			moved.thenAccept(member.result::complete);
		});
	}

	private CompletableFuture<Placement> move(Batch batch, ShardingKey key, ShardedObject main) {
		return this.order.run(() -> settle(moveControlled(batch, key, batch.listedFor(key), (placement) -> {
		}), key), (all) -> finish(main, key, batch, all));
	}

	/*
	 * A live owner may have got it since it was seen, from an earlier sharder: then what
	 * it controls stays with that one. What others write into it meanwhile is theirs:
	 * some objects change faster than all that is controlled can be listed.
	 */
	private CompletableFuture<Placement> unlessMoved(ShardedObject main,
			Function<ShardedObject, CompletableFuture<Placement>> move) {
		return this.placer.look(main.resource(), main.key()).thenComposeAsync((now) -> {
			if (now.outcome() == Outcome.GONE) {
				return CompletableFuture.completedFuture(Placement.of(Outcome.GONE, main));
			}
			if (now.outcome() != Outcome.SETTLED || !now.object().labels().equals(main.labels())) {
				return CompletableFuture.completedFuture(
						Placement.of(Outcome.UNHELD, (now.outcome() == Outcome.SETTLED) ? now.object() : main));
			}
			return move.apply(now.object());
		}, this.loop);
	}

	/*
	 * What the source shows moves at once. The first of these moves is the proof that the
	 * source is up to date, as soon as it shows there; then the rest moves, if there is
	 * any.
	 */
	private void move(Batch batch, Source source, Origin origin) {
		Set<ShardedResource> resources = resources(batch);
		SourceProof proof = new SourceProof(source, resources, this.loop);
		CompletableFuture<Void> complete = proof.missing()
			.thenComposeAsync((missing) -> missing.isEmpty() ? CompletableFuture.<Void>completedFuture(null)
					: list(batch, origin, missing), this.loop);
		List<CompletableFuture<?>> begun = new ArrayList<>();
		batch.members.forEach((key, member) -> this.order.run(() -> {
			CompletableFuture<Void> moved = moveControlled(batch, key, source.madeFor(key), proof::placed);
			begun.add(moved);
			return settle(CompletableFuture.allOf(moved, complete).thenComposeAsync((known) -> {
				List<ShardedObject> rest = new ArrayList<>(batch.listedFor(key));
				rest.addAll(source.madeFor(key));
				return moveControlled(batch, key, rest, (placement) -> {
				});
			}, this.loop), key);
		}, (all) -> finish(member.main, key, batch, all)).thenAccept(member.result::complete));
		// One that hangs holds up its own main object alone: what is not proved is
		// listed.
		CompletableFuture.allOf(begun.toArray(CompletableFuture[]::new))
			.completeOnTimeout(null, PROVED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
			.thenRun(proof::end);
	}

	private CompletableFuture<Void> moveControlled(Batch batch, ShardingKey main, Collection<ShardedObject> controlled,
			Consumer<Placement> placed) {
		List<CompletableFuture<Placement>> moves = new ArrayList<>(controlled.size());
		for (ShardedObject object : controlled) {
			if (batch.tried.add(object.id())) {
				moves.add(this.pendingDependents.move(object, batch.hold).thenApply((placement) -> {
					placed.accept(placement);
					return this.pendingDependents.placed(main, this.reports.report(placement));
				}));
			}
		}
		return CompletableFuture.allOf(moves.toArray(CompletableFuture[]::new));
	}

	private CompletableFuture<Boolean> settle(CompletableFuture<Void> moved, ShardingKey main) {
		return moved.thenComposeAsync((done) -> this.pendingDependents.settle(main), this.loop);
	}

	/*
	 * What has left the shard since, because that is gone, was not found by its label: it
	 * is looked for among all.
	 */
	private CompletableFuture<Placement> finish(ShardedObject main, ShardingKey key, Batch batch,
			boolean controlledMoved) {
		boolean missed = batch.from != null && this.unavailableShards.mayHaveLeft(batch.from);
		return finishOnlyBy(this.placer.ring(), main, key, batch.hold, Priority.LAST_STEP, controlledMoved && !missed);
	}

	/*
	 * What was moved was moved by the ring as it was then. Only if that is right by the
	 * ring that the main object is placed by may it follow; otherwise it is judged anew.
	 */
	private CompletableFuture<Placement> finishOnlyBy(HashRing by, ShardedObject main, ShardingKey key,
			@Nullable ShardHold hold, Priority priority, boolean controlledMoved) {
		// Nobody keeps in mind what a mass move moved by an earlier ring. Any thread may
		// come here: the ring is read once, and again when the patch is sent.
		boolean held = hold == null || hold.isValid();
		if (!controlledMoved || !held || by != this.placer.ring() || !this.pendingDependents.isSettled(key, by)) {
			return CompletableFuture.completedFuture(Placement.of(Outcome.UNHELD, main));
		}
		return this.placer.placeOnlyBy(by, main, HandOver.CONTROLLED_OBJECTS_MOVED, priority, hold)
			.thenApply((placement) -> {
				boolean again = placement.outcome() == Outcome.DROPPED && by != this.placer.ring();
				return again ? Placement.of(Outcome.UNHELD, placement.object()) : followed(key, placement);
			});
	}

	/* An owner that is not available any more loses it again. */
	private Placement followed(ShardingKey key, Placement placement) {
		if (placement.outcome() == Outcome.GONE || this.placer.isOwned(placement.object(), this.placer.ring())) {
			this.pendingDependents.followed(key);
		}
		return placement;
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

		/*
		 * Whose they were; if nobody knows, an earlier sharder may be giving them to
		 * somebody.
		 */
		private final @Nullable String from;

		private final Map<ShardingKey, Member> members = new LinkedHashMap<>();

		private final Map<ShardingKey, Map<ShardedObject.ObjectId, ShardedObject>> controlled = new ConcurrentHashMap<>();

		/* Controlled objects that were moved, or should have been. */
		private final Set<ShardedObject.ObjectId> tried = new HashSet<>();

		private Batch(@Nullable ShardHold hold, @Nullable String from) {
			this.hold = hold;
			this.from = from;
		}

		private Collection<ShardedObject> listedFor(ShardingKey main) {
			return this.controlled.getOrDefault(main, Map.of()).values();
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
