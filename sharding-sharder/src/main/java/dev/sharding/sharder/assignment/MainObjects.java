package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.core.ShardingLabels;
import dev.sharding.core.assignment.AssignmentDecision;
import dev.sharding.core.assignment.AssignmentDecision.WaitReason;
import dev.sharding.core.assignment.HandOver;
import dev.sharding.core.key.ShardingKey;
import dev.sharding.core.ring.HashRing;
import dev.sharding.core.version.ResourceVersions;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.sharder.assignment.PatchQueue.Priority;
import dev.sharding.sharder.assignment.Placement.Outcome;
import dev.sharding.sharder.loop.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * The main objects that are changing hands: one step at a time for each, whoever noticed
 * that it is due. When a step is done the object is judged again as it then is, so that
 * what was seen meanwhile is not lost. Lives on the ring's thread.
 */
final class MainObjects {

	private static final Duration REVERTED_PAUSE = Duration.ofSeconds(1);

	private static final Duration UNHELD_PAUSE = Duration.ofMillis(100);

	private final RingScope scope;

	private final Placer placer;

	private final HandOvers handOvers;

	private final Drains drains;

	private final DrainPacer pacer;

	private final Departures departures;

	private final MovedAhead movedAhead;

	private final EventLoop loop;

	private final PlacementReports reports;

	private final Runnable failed;

	/* Changed on the loop only; counted by any thread. */
	private final Map<ShardingKey, Step> steps = new ConcurrentHashMap<>();

	/*
	 * The versions that steps left behind which an earlier ring began. A list that is
	 * older than such a step does not show to whom the step has given the object.
	 */
	private final Map<ShardingKey, String> overtaken = new HashMap<>();

	MainObjects(RingScope scope, Placer placer, HandOvers handOvers, Drains drains, DrainPacer pacer,
			Departures departures, MovedAhead movedAhead, EventLoop loop, PlacementReports reports, Runnable failed) {
		this.scope = scope;
		this.placer = placer;
		this.handOvers = handOvers;
		this.drains = drains;
		this.pacer = pacer;
		this.departures = departures;
		this.movedAhead = movedAhead;
		this.loop = loop;
		this.reports = reports;
		this.failed = failed;
	}

	/**
	 * Does what is due for a main object.
	 * @param object the object as seen
	 * @param pastKnown whether nothing can have happened to it unseen: if it has no label
	 * and no drain of it is known, it is new and controls nothing yet
	 */
	void judge(ShardedObject object, boolean pastKnown) {
		ShardingKey key = object.shardingKey();
		if (key == null || !this.scope.namespaces().includes(object.key().namespace())) {
			return;
		}
		String left = this.overtaken.get(key);
		if (left != null && isOlder(object, left)) {
			return;
		}
		Step running = this.steps.get(key);
		if (running != null) {
			// A list may be older than what the watch brought: the newest counts.
			if (running.seenMeanwhile == null || isNewer(object, running.seenMeanwhile)) {
				running.seenMeanwhile = object;
				if (!this.placer.isOwned(object, this.placer.ring())) {
					this.pacer.drop(key);
				}
			}
			return;
		}
		CompletableFuture<Placement> step = next(object, key, pastKnown);
		if (step != null) {
			Step begun = new Step(object, this.placer.ring(), pastKnown);
			this.steps.put(key, begun);
			step.thenAcceptAsync((placement) -> done(key, begun, placement), this.loop);
		}
	}

	/** No list is older than what was done until now. */
	void tidy() {
		this.overtaken.clear();
	}

	/** Tells whether nothing is under way. */
	boolean isIdle() {
		return this.steps.isEmpty();
	}

	/** The number of objects that are changing hands; may be asked by any thread. */
	int size() {
		return this.steps.size();
	}

	private @Nullable CompletableFuture<Placement> next(ShardedObject object, ShardingKey key, boolean pastKnown) {
		if (object.shard(this.scope.ring()) == null && this.drains.owner(key) != null) {
			this.pacer.letGo(key);
		}
		AssignmentDecision decision = this.placer.decide(object, HandOver.NONE);
		boolean waits = decision instanceof AssignmentDecision.Wait wait
				&& wait.reason() != WaitReason.CONTROLLED_OBJECTS_FIRST;
		if (waits || decision instanceof AssignmentDecision.Keep) {
			return null;
		}
		String left = object.shard(this.scope.ring());
		if (decision instanceof AssignmentDecision.Drain && left != null) {
			return this.pacer.drain(object, key, left);
		}
		return (left != null) ? depart(object, key, left, pastKnown) : handOver(object, key, pastKnown);
	}

	/*
	 * Its shard is not available, but may come back at any moment unless it is held. If
	 * an earlier sharder began, what it controls may be anywhere.
	 */
	private CompletableFuture<Placement> depart(ShardedObject object, ShardingKey key, String left, boolean pastKnown) {
		return this.departures.from(left).thenComposeAsync((hold) -> {
			if (hold == null) {
				return CompletableFuture.completedFuture(Placement.of(Outcome.UNHELD, object));
			}
			return this.scope.hasControlled(object.resource())
					? this.handOvers.add(object, key, pastKnown ? left : null, hold)
					: this.placer.place(object, HandOver.NONE, Priority.URGENT, hold);
		}, this.loop).whenCompleteAsync((placement, failure) -> this.departures.done(left), this.loop);
	}

	/* Nobody owns it. */
	private CompletableFuture<Placement> handOver(ShardedObject object, ShardingKey key, boolean pastKnown) {
		if (!this.scope.hasControlled(object.resource())) {
			return this.placer.place(object, HandOver.NONE, Priority.URGENT, null);
		}
		String oldShard = this.drains.owner(key);
		if (oldShard == null && pastKnown && !this.movedAhead.isKnown(key)) {
			return this.placer.placeFirst(object);
		}
		return this.handOvers.add(object, key, oldShard, null);
	}

	private void done(ShardingKey key, Step step, Placement placement) {
		this.steps.remove(key, step);
		ApiException failure = placement.failure();
		this.reports.report(placement);
		if (failure != null) {
			this.failed.run();
		}
		if (placement.outcome() == Outcome.GONE) {
			this.drains.forget(key);
		}
		if (step.ring != this.placer.ring() && isNewer(placement.object(), step.object)) {
			this.overtaken.put(key, placement.object().resourceVersion());
		}
		ShardedObject seen = step.seenMeanwhile;
		if (seen != null && isOlder(seen, placement.object().resourceVersion())) {
			seen = placement.object();
		}
		boolean settled = placement.outcome() == Outcome.PATCHED || placement.outcome() == Outcome.SETTLED;
		if (!settled) {
			this.pacer.forget(key);
		}
		if (seen != null && (!settled || isNewer(seen, placement.object()))) {
			if (failure == null || !seen.resourceVersion().equals(placement.object().resourceVersion())) {
				judge(seen, settled || step.pastKnown);
			}
		}
		else if (settled) {
			settled(key, placement);
		}
		else if (placement.outcome() == Outcome.UNHELD) {
			this.loop.schedule(() -> judge(placement.object(), step.pastKnown), UNHELD_PAUSE);
		}
		else if (placement.outcome() == Outcome.PUT_OFF) {
			this.loop.schedule(() -> judge(placement.object(), step.pastKnown), this.placer.putOff(placement.object()));
		}
	}

	private void settled(ShardingKey key, Placement placement) {
		ShardedObject object = placement.object();
		boolean assigned = object.shard(this.scope.ring()) != null;
		if (placement.outcome() == Outcome.PATCHED && !assigned) {
			// Somebody takes our label off again, such as a webhook: do not race with it.
			this.loop.schedule(() -> judge(object, true), REVERTED_PAUSE);
			return;
		}
		if (assigned && !object.labels().containsKey(ShardingLabels.drain(this.scope.ring()))) {
			this.drains.forget(key);
			this.pacer.owned(key);
		}
		judge(object, true);
	}

	private static boolean isNewer(ShardedObject seen, ShardedObject known) {
		return switch (ResourceVersions.compare(seen.resourceVersion(), known.resourceVersion())) {
			case AFTER, NOT_COMPARABLE -> true;
			case BEFORE, SAME -> false;
		};
	}

	private static boolean isOlder(ShardedObject seen, String known) {
		return ResourceVersions.compare(seen.resourceVersion(), known) == ResourceVersions.Order.BEFORE;
	}

	/**
	 * One request, or one hand-over, that is under way.
	 */
	private static final class Step {

		private final ShardedObject object;

		private final HashRing ring;

		/* What was not known before a step that failed is not known after it. */
		private final boolean pastKnown;

		private @Nullable ShardedObject seenMeanwhile;

		private Step(ShardedObject object, HashRing ring, boolean pastKnown) {
			this.object = object;
			this.ring = ring;
			this.pastKnown = pastKnown;
		}

	}

}
