package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.AssignmentDecision;
import dev.sharding.internal.core.assignment.HandOver;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.activity.RingActivity;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists.Page;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems.Operation;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.placement.Drains;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue.Priority;
import dev.sharding.internal.sharder.assignment.placement.Placement;
import dev.sharding.internal.sharder.assignment.placement.Placement.Outcome;
import dev.sharding.internal.sharder.assignment.placement.PlacementReports;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.shardlease.ShardHold;
import dev.sharding.internal.sharder.watch.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * One pass over all objects of a ring. Main objects are handed on to be judged; then
 * controlled objects that are in the wrong place get their label, except those whose main
 * object must change hands: they go with it. A pass that was stopped lists nothing more
 * and its verdicts do not count.
 */
final class Resync {

	private static final Duration HELD_WITHIN = Duration.ofSeconds(20);

	private static final String NOBODY = "";

	private static final int UNDER_WAY = 500;

	/* An object whose patch hangs does not hold up the next pass. */
	private static final Duration MOVED_AT_LAST = Duration.ofSeconds(30);

	private static final int MOST_OWNERS = 10_000;

	private final RingScope scope;

	private final MetadataLists lists;

	private final Placer placer;

	private final MainObjects mainObjects;

	private final Drains drains;

	private final LeaseHolds leaseHolds;

	private final PendingDependents pendingDependents;

	private final EventLoop loop;

	private final ResourceProblems problems;

	private final PlacementReports reports;

	private final RingActivity activity;

	private final Adoption adoption;

	private final HashRing ring;

	/*
	 * Main objects that must change hands, and who had them: NOBODY if not available. The
	 * latest of them, as the others have changed hands until the controlled ones are
	 * listed, unless that takes long.
	 */
	private final Map<ShardingKey, String> owners = new LinkedHashMap<>();

	/* There were more of them. */
	private boolean forgotten;

	/* Controlled objects on their way. */
	private final Room room;

	/* Shards that objects have to leave and that nobody could hold in this pass. */
	private final Set<String> unheld = ConcurrentHashMap.newKeySet();

	private final AtomicInteger failures = new AtomicInteger();

	/* What could not be listed, or not all of it. */
	private final Set<ShardedResource> unlisted = ConcurrentHashMap.newKeySet();

	/* Objects without owner: the next pass sees what became of them. */
	private volatile boolean leftToWatch;

	/* Drains are slow, so this pass does not wait for them. On the ring's thread only. */
	private boolean hurried;

	private volatile boolean stopped;

	Resync(RingScope scope, HashRing ring, MetadataLists lists, Placer placer, MainObjects mainObjects, Drains drains,
			LeaseHolds leaseHolds, PendingDependents pendingDependents, EventLoop loop, ResourceProblems problems,
			PlacementReports reports, RingActivity activity, Adoption adoption, Room room) {
		this.scope = scope;
		this.lists = lists;
		this.placer = placer;
		this.ring = ring;
		this.mainObjects = mainObjects;
		this.drains = drains;
		this.leaseHolds = leaseHolds;
		this.pendingDependents = pendingDependents;
		this.loop = loop;
		this.problems = problems;
		this.reports = reports;
		this.activity = activity;
		this.adoption = adoption;
		this.room = room;
	}

	/**
	 * Starts the pass, which is done when everything is listed and the controlled objects
	 * are placed; main objects may still be on their way.
	 * @return the number of lists and controlled objects that failed, and of pages left
	 * to a watch; never fails
	 */
	CompletableFuture<Integer> run() {
		CompletableFuture<Void> pass = CompletableFuture.completedFuture(null);
		for (ShardedResource main : this.scope.main()) {
			pass = pass.thenCompose((before) -> list(main));
		}
		for (ShardedResource controlled : this.scope.controlled()) {
			pass = pass.thenCompose((before) -> list(controlled));
		}
		return pass.thenCompose(
				(listed) -> this.room.empty().completeOnTimeout(null, MOVED_AT_LAST.toMillis(), TimeUnit.MILLISECONDS))
			.handle((done, failure) -> {
				this.failures.addAndGet(this.room.taken());
				if (failure == null && !this.stopped && this.unlisted.isEmpty() && this.room.taken() == 0
						&& !this.leftToWatch) {
					this.reports.passed();
					this.activity.passed();
				}
				return (failure != null) ? this.failures.incrementAndGet() : this.failures.get();
			});
	}

	void stop() {
		this.stopped = true;
	}

	boolean isStopped() {
		return this.stopped;
	}

	private CompletableFuture<Void> list(ShardedResource resource) {
		Function<Page, CompletableFuture<?>> placing = resource.isMain() ? judgingMain(resource)
				: (page) -> placeControlled(page.objects());
		RingActivity.Listing listing = this.activity.listing(resource.toString());
		return this.lists.list(resource, null, this::isStopped, (page) -> {
			listing.page(page.version(), page.first(),
					page.objects()
						.stream()
						.map((object) -> Objects.requireNonNullElse(object.shard(this.scope.ring()), NOBODY))
						.toList());
			return placing.apply(page);
		}).handle((done, failure) -> {
			listing.end(failure == null && !this.stopped);
			if (failure == null) {
				this.problems.succeeded(resource.toString(), Operation.LIST);
			}
			else {
				this.unlisted.add(resource);
				this.failures.incrementAndGet();
				this.problems.failed(resource.toString(), Operation.LIST,
						String.valueOf(ApiException.of(failure).getMessage()));
			}
			return null;
		});
	}

	private Function<Page, CompletableFuture<?>> judgingMain(ShardedResource resource) {
		Function<Page, CompletableFuture<?>> adopting = this.adoption.resyncing(resource, () -> {
			this.leftToWatch = true;
			this.failures.incrementAndGet();
		});
		return (page) -> judgeMain(page, adopting);
	}

	/*
	 * The next page comes when there is room for what this one has to be done for. Only
	 * drains may take so long that a later pass has to find the rest: what has no owner
	 * must not wait for the end of this one.
	 */
	private CompletableFuture<?> judgeMain(Page page, Function<Page, CompletableFuture<?>> adopting) {
		List<ShardedObject> owned = new ArrayList<>();
		List<ShardedObject> unowned = new ArrayList<>();
		for (ShardedObject object : page.objects()) {
			AssignmentDecision decision = this.placer.decide(object, HandOver.NONE, this.ring);
			if (!(decision instanceof AssignmentDecision.Keep) && object.shardingKey() != null) {
				String owner = object.shard(this.scope.ring());
				boolean isOwned = owner != null && this.placer.isOwned(object, this.ring);
				remember(object.shardingKey(), isOwned ? String.valueOf(owner) : NOBODY);
				(isOwned ? owned : unowned).add(object);
			}
		}
		CompletableFuture<Void> judged = new CompletableFuture<>();
		if (owned.isEmpty() && unowned.isEmpty() && !page.first()) {
			judged.complete(null);
			return judged;
		}
		this.loop.execute(() -> {
			if (this.stopped) {
				judged.complete(null);
				return;
			}
			if (owned.isEmpty() || !this.mainObjects.isCrowded()) {
				this.adoption.each(owned, (object) -> this.mainObjects.judge(object, Past.UNKNOWN));
			}
			else {
				this.failures.incrementAndGet();
			}
			adopting.apply(page.of(unowned))
				.thenComposeAsync((taken) -> room(), this.loop)
				.whenComplete((done, failure) -> judged.complete(null));
		});
		return judged;
	}

	/* The pages of main objects come one at a time, those of controlled ones later. */
	private void remember(ShardingKey main, String owner) {
		this.owners.put(main, owner);
		if (this.owners.size() > MOST_OWNERS) {
			Iterator<ShardingKey> oldest = this.owners.keySet().iterator();
			oldest.next();
			oldest.remove();
			this.forgotten = true;
		}
	}

	private CompletableFuture<Void> room() {
		return this.hurried ? this.mainObjects.room(UNDER_WAY)
				: this.mainObjects.roomForDrains(UNDER_WAY).thenRun(() -> this.hurried = this.mainObjects.isCrowded());
	}

	private CompletableFuture<?> placeControlled(List<ShardedObject> page) {
		for (ShardedObject object : page) {
			ShardingKey key = object.shardingKey();
			if (key == null) {
				continue;
			}
			HandOver handOver = isOfLiveClaim(object, key) ? HandOver.CLAIM_LIVE : HandOver.NONE;
			AssignmentDecision decision = this.placer.decide(object, handOver, this.ring);
			if (decision instanceof AssignmentDecision.Assign || decision instanceof AssignmentDecision.Move) {
				String left = object.shard(this.scope.ring());
				if (this.placer.isHanging(object)) {
					// It is still tried by whoever began.
					this.failures.incrementAndGet();
				}
				else if (left != null && !this.ring.shards().contains(left)) {
					this.room.take(depart(object, left));
				}
				else if (left != null && mayBeClaimed(object, key)) {
					this.failures.incrementAndGet();
				}
				else {
					this.room.take((left != null) ? placeUnclaimed(object, key, left) : place(object, null));
				}
			}
		}
		return this.room.free();
	}

	/*
	 * Its main object may be younger than the list of main objects, and with the shard
	 * that has this one, or on its way to that: then it stays there until that lets go.
	 */
	private CompletableFuture<Void> placeUnclaimed(ShardedObject object, ShardingKey main, String left) {
		return this.placer.lookAtMain(object, main).thenCompose((found) -> {
			boolean elsewhere = found.outcome() == Outcome.SETTLED && this.placer.isOwned(found.object(), this.ring)
					&& !left.equals(found.object().shard(this.scope.ring()));
			if (elsewhere || found.outcome() == Outcome.GONE) {
				return place(object, null);
			}
			this.failures.incrementAndGet();
			return CompletableFuture.completedFuture(null);
		});
	}

	private CompletableFuture<Void> place(ShardedObject object, @Nullable ShardHold hold) {
		return this.placer.placeOnlyBy(this.ring, object, HandOver.NONE, Priority.NORMAL, hold)
			.thenAccept(this::report);
	}

	/* A shard that is not available may come back at any moment unless it is held. */
	private CompletableFuture<Void> depart(ShardedObject object, String left) {
		if (this.unheld.contains(left)) {
			report(Placement.of(Outcome.UNHELD, object));
			return CompletableFuture.completedFuture(null);
		}
		CompletableFuture<@Nullable ShardHold> asked = new CompletableFuture<>();
		this.loop.execute(() -> this.leaseHolds.from(left).thenAccept(asked::complete));
		asked.completeOnTimeout(null, HELD_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
		return asked.thenCompose((hold) -> {
			if (hold != null) {
				return place(object, hold);
			}
			this.unheld.add(left);
			report(Placement.of(Outcome.UNHELD, object));
			return CompletableFuture.completedFuture(null);
		}).whenCompleteAsync((done, failure) -> this.leaseHolds.done(left), this.loop);
	}

	/* What the owner of a main object has goes with it; all else can be mended now. */
	private boolean isOfLiveClaim(ShardedObject object, ShardingKey key) {
		String shard = object.shard(this.scope.ring());
		return shard != null && this.placer.isOwned(object, this.ring) && (shard.equals(this.owners.get(key))
				|| (this.drains.isLive(key) && shard.equals(this.drains.owner(key))));
	}

	/*
	 * Whoever has a controlled object may have got its main object since that was listed
	 * as nobody's: by a move that was begun under an earlier ring, or by an earlier
	 * leader. The main object's own hand-over looks for what it controls. What a main
	 * object has that nobody remembers is left to a later pass.
	 */
	private boolean mayBeClaimed(ShardedObject object, ShardingKey key) {
		String owner = this.owners.get(key);
		return NOBODY.equals(owner) || (owner == null && this.forgotten) || this.mainObjects.isChangingHands(key)
				|| this.unlisted.stream()
					.anyMatch(
							(main) -> this.scope.resources().getOrDefault(main, List.of()).contains(object.resource()));
	}

	private void report(Placement placement) {
		this.pendingDependents.placedByResync(this.reports.report(placement));
		if (placement.failure() != null || placement.outcome() == Outcome.UNHELD) {
			this.failures.incrementAndGet();
		}
	}

}
