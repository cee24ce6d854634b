package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.AssignmentDecision;
import dev.sharding.internal.core.assignment.AssignmentDecision.WaitReason;
import dev.sharding.internal.core.assignment.HandOver;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.sharder.activity.RingActivity;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.placement.Drains;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue.Priority;
import dev.sharding.internal.sharder.assignment.placement.Placement;
import dev.sharding.internal.sharder.assignment.placement.Placement.Outcome;
import dev.sharding.internal.sharder.assignment.placement.PlacementReports;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.shardlease.ShardHold;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * The main objects that are changing hands: one step at a time for each, whoever noticed
 * that it is due. When a step is done the object is judged again as it then is, so that
 * what was seen meanwhile is not lost. Lives on the ring's thread.
 */
final class MainObjects {

	private static final Duration REVERTED_PAUSE = Duration.ofSeconds(1);

	private static final Duration UNHELD_PAUSE = Duration.ofMillis(100);

	/* Who waits longer for room waits for what is stuck, which must not stop the rest. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final int MOST_STUCK = 10_000;

	/*
	 * They wait for their turn, which may take long: this is what has to be remembered.
	 */
	private static final int MOST_DRAINS = 5_000;

	private static final int MOST_DELAYED = 1_000;

	private static final int MOST_UNHELD = 250;

	private final RingScope scope;

	private final Placer placer;

	private final HandOvers handOvers;

	private final Drains drains;

	private final DrainLimiter pacer;

	private final LeaseHolds leaseHolds;

	private final PendingDependents pendingDependents;

	private final EventLoop loop;

	private final PlacementReports reports;

	private final RingActivity activity;

	private final Runnable failed;

	private final List<Waiting> waiting = new ArrayList<>();

	/* How many wait to be judged again. */
	private int delayed;

	/* Changed on the loop only; counted by any thread. */
	private final Map<ShardingKey, Step> steps = new ConcurrentHashMap<>();

	/*
	 * The versions that steps left behind which an earlier ring began. A list that is
	 * older than such a step does not show to whom the step has given the object.
	 */
	private final Map<ShardingKey, String> overtaken = new HashMap<>();

	/* Steps that wait for the Lease of the shard that their object leaves. */
	private final Map<ShardingKey, Leaving> leaving = new HashMap<>();

	MainObjects(RingScope scope, Placer placer, HandOvers handOvers, Drains drains, DrainLimiter pacer,
			LeaseHolds leaseHolds, PendingDependents pendingDependents, EventLoop loop, PlacementReports reports,
			RingActivity activity, Runnable failed) {
		this.scope = scope;
		this.placer = placer;
		this.handOvers = handOvers;
		this.drains = drains;
		this.pacer = pacer;
		this.leaseHolds = leaseHolds;
		this.pendingDependents = pendingDependents;
		this.loop = loop;
		this.reports = reports;
		this.activity = activity;
		this.failed = failed;
	}

	/**
	 * Does what is due for a main object.
	 * @param object the object as seen
	 * @param past what can have happened to it unseen
	 */
	void judge(ShardedObject object, Past past) {
		ShardingKey key = object.shardingKey();
		if (key == null || !this.scope.namespaces().includes(object.key().namespace())) {
			return;
		}
		String left = this.overtaken.get(key);
		if (left != null && isOlder(object, left)) {
			return;
		}
		see(object);
		Step running = this.steps.get(key);
		if (running != null) {
			// A list may be older than what the watch brought: the newest counts.
			if (running.seenMeanwhile == null || isNewer(object, running.seenMeanwhile)) {
				running.seenMeanwhile = object;
				noMoreThere(key, running, object);
				if (!this.placer.isOwned(object, this.placer.ring())) {
					this.pacer.drop(key);
				}
			}
			return;
		}
		CompletableFuture<Placement> step = next(object, key, past);
		if (step != null) {
			Step begun = new Step(object, this.placer.ring(), past);
			this.steps.put(key, begun);
			step.thenAcceptAsync((placement) -> done(key, begun, placement), this.loop);
		}
	}

	private void see(ShardedObject object) {
		if (this.placer.isOwned(object, this.placer.ring())) {
			this.activity.settled(object.ref());
		}
		else {
			this.activity.unowned(object.ref(), object.shard(this.scope.ring()));
		}
	}

	/**
	 * Does what is due for a main object of a list. Where many are changing hands, none
	 * is added that waits for the Lease of its shard: others would wait behind it.
	 * @return {@code false} if nothing was done for that reason
	 */
	boolean judgeListed(ShardedObject object, Past past) {
		String left = object.shard(this.scope.ring());
		if (left != null && this.steps.size() >= MOST_UNHELD && !this.placer.isOwned(object, this.placer.ring())
				&& !this.leaseHolds.isHeld(left)) {
			return false;
		}
		judge(object, past);
		return true;
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

	/**
	 * Tells whether something is under way for the object; may be asked by any thread.
	 */
	boolean isChangingHands(ShardingKey key) {
		return this.steps.containsKey(key);
	}

	/** Tells whether so many drains wait for their turn that none should be added. */
	boolean isCrowded() {
		return this.pacer.waiting() >= MOST_DRAINS;
	}

	/**
	 * Completes when fewer objects than that are changing hands, without those whose
	 * drain has to wait; or after a while, as long as not too many are stuck.
	 */
	CompletableFuture<Void> room(int most) {
		return room(new Waiting(most, Integer.MAX_VALUE, new CompletableFuture<>()));
	}

	/** As above, and not too many drains have to wait. */
	CompletableFuture<Void> roomForDrains(int most) {
		return room(new Waiting(most, MOST_DRAINS, new CompletableFuture<>()));
	}

	private CompletableFuture<Void> room(Waiting begun) {
		this.waiting.add(begun);
		tellRoom();
		letInLater(begun);
		return begun.free;
	}

	private void letInLater(Waiting one) {
		if (one.free.isDone()) {
			return;
		}
		this.loop.schedule(() -> {
			if (busy() < MOST_STUCK && this.waiting.remove(one)) {
				one.free.complete(null);
			}
			letInLater(one);
		}, PATIENCE);
	}

	private int busy() {
		return this.steps.size() - this.pacer.waiting();
	}

	private void tellRoom() {
		if (this.waiting.isEmpty()) {
			return;
		}
		int drains = this.pacer.waiting();
		int busy = this.steps.size() - drains;
		List<Waiting> over = this.waiting.stream().filter((one) -> busy < one.most && drains < one.mostDrains).toList();
		this.waiting.removeAll(over);
		over.forEach((one) -> one.free.complete(null));
	}

	private @Nullable CompletableFuture<Placement> next(ShardedObject object, ShardingKey key, Past past) {
		AssignmentDecision decision = this.placer.decide(object, HandOver.NONE);
		boolean waits = decision instanceof AssignmentDecision.Wait wait
				&& wait.reason() != WaitReason.CONTROLLED_OBJECTS_FIRST;
		if (waits || decision instanceof AssignmentDecision.Keep) {
			return null;
		}
		String left = object.shard(this.scope.ring());
		// One that waits for a shard does not count: nobody would forget it when it is
		// deleted.
		if (left == null && this.drains.owner(key) != null) {
			this.pacer.letGo(key);
		}
		if (decision instanceof AssignmentDecision.Drain && left != null) {
			return this.pacer.drain(object, key, left);
		}
		return (left != null) ? depart(object, key, left, past) : handOver(object, key, past);
	}

	/*
	 * Its shard is not available, but may come back at any moment unless it is held. If
	 * an earlier sharder began, what it controls may be anywhere.
	 */
	private CompletableFuture<Placement> depart(ShardedObject object, ShardingKey key, String left, Past past) {
		Leaving leaving = new Leaving(left, new CompletableFuture<>());
		this.leaving.put(key, leaving);
		CompletableFuture<Placement> moved = this.leaseHolds.from(left).thenComposeAsync((hold) -> {
			if (!this.leaving.remove(key, leaving) || hold == null) {
				return CompletableFuture.completedFuture(Placement.of(Outcome.UNHELD, object));
			}
			if (!this.scope.hasControlled(object.resource())) {
				return this.placer.place(object, HandOver.NONE, priority(past), hold);
			}
			ControlledSurvey survey = past.surveyBy(this.placer.ring());
			return (survey != null) ? follow(object, key, hold, survey)
					: this.handOvers.add(object, key, past.isKnown() ? left : null, hold);
		}, this.loop);
		return moved.applyToEither(leaving.given(), Function.identity())
			.whenCompleteAsync((placement, failure) -> this.leaseHolds.done(left), this.loop);
	}

	/*
	 * What does not bear the label of its shard any more, or is another object by now,
	 * need not wait until that one's Lease can be taken.
	 */
	private void noMoreThere(ShardingKey key, Step step, ShardedObject seen) {
		Leaving leaving = this.leaving.get(key);
		if (leaving != null && !leaving.shard().equals(seen.shard(this.scope.ring()))) {
			this.leaving.remove(key);
			leaving.given().complete(Placement.of(Outcome.UNHELD, step.object));
		}
	}

	/* Nobody owns it. */
	private CompletableFuture<Placement> handOver(ShardedObject object, ShardingKey key, Past past) {
		if (!this.scope.hasControlled(object.resource())) {
			return this.placer.place(object, HandOver.NONE, priority(past), null);
		}
		String oldShard = this.drains.owner(key);
		if (oldShard == null && past.isKnown() && !this.pendingDependents.isKnown(key)) {
			return this.placer.placeFirst(object);
		}
		ControlledSurvey survey = (oldShard == null) ? past.surveyBy(this.placer.ring()) : null;
		return (survey != null) ? follow(object, key, null, survey) : this.handOvers.add(object, key, oldShard, null);
	}

	/* What was left behind is found by another survey, which a later pass makes. */
	private CompletableFuture<Placement> follow(ShardedObject object, ShardingKey key, @Nullable ShardHold hold,
			ControlledSurvey survey) {
		if (survey.mayHaveLeftBehind(key)) {
			this.failed.run();
			return CompletableFuture.completedFuture(Placement.of(Outcome.DROPPED, object));
		}
		return this.handOvers.add(object, key, hold, survey);
	}

	/* What has just been created does not wait behind all that a list brought. */
	private static Priority priority(Past past) {
		return past.isKnown() ? Priority.URGENT : Priority.BULK;
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
			this.activity.settled(placement.object().ref());
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
				judge(seen, settled ? Past.KNOWN : step.pastOf(seen));
			}
		}
		else if (settled) {
			settled(key, placement);
		}
		else if (placement.outcome() == Outcome.UNHELD) {
			later(placement.object(), step, UNHELD_PAUSE);
		}
		else if (placement.outcome() == Outcome.PUT_OFF) {
			later(placement.object(), step, this.placer.putOff(placement.object()));
		}
		tellRoom();
	}

	/* If too many have to wait, a resync finds them. */
	private void later(ShardedObject object, Step step, Duration pause) {
		if (this.delayed >= MOST_DELAYED) {
			this.failed.run();
			return;
		}
		this.delayed++;
		this.loop.schedule(() -> {
			this.delayed--;
			judge(object, step.pastOf(object));
		}, pause);
	}

	private void settled(ShardingKey key, Placement placement) {
		ShardedObject object = placement.object();
		if (!this.scope.namespaces().includes(object.key().namespace())) {
			// Its namespace has left the ring: it has no owner, and needs none.
			this.pacer.forget(key);
			return;
		}
		boolean assigned = object.shard(this.scope.ring()) != null;
		if (placement.outcome() == Outcome.PATCHED && !assigned) {
			// Somebody takes our label off again, such as a webhook: do not race with it.
			this.loop.schedule(() -> judge(object, Past.KNOWN), REVERTED_PAUSE);
			return;
		}
		if (assigned && !object.labels().containsKey(ShardingLabels.drain(this.scope.ring()))) {
			this.drains.forget(key);
			this.pacer.owned(key);
		}
		if (placement.outcome() == Outcome.PATCHED
				&& this.placer.decide(object, HandOver.NONE) instanceof AssignmentDecision.Drain) {
			// Somebody takes our drain label off: do not race with that either.
			this.loop.schedule(() -> judge(object, Past.KNOWN), REVERTED_PAUSE);
			return;
		}
		judge(object, Past.KNOWN);
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
	 * Who waits for the Lease of its shard.
	 *
	 * @param shard the shard
	 * @param given completes where the wait is given up
	 */
	private record Leaving(String shard, CompletableFuture<Placement> given) {
	}

	private record Waiting(int most, int mostDrains, CompletableFuture<Void> free) {
	}

	/**
	 * One request, or one hand-over, that is under way.
	 */
	private static final class Step {

		private final ShardedObject object;

		private final HashRing ring;

		/* What was not known before a step that failed is not known after it. */
		private final Past past;

		private @Nullable ShardedObject seenMeanwhile;

		private Step(ShardedObject object, HashRing ring, Past past) {
			this.object = object;
			this.ring = ring;
			this.past = past;
		}

		/* What happened to the object since is not in a survey that is older. */
		private Past pastOf(ShardedObject later) {
			return isNewer(later, this.object) ? Past.of(this.past.isKnown()) : this.past;
		}

	}

}
