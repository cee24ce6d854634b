package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists.Page;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.metadata.UnownedWatch;
import dev.sharding.internal.sharder.assignment.placement.Drains;
import dev.sharding.internal.sharder.assignment.placement.PlacementReports;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.internal.sharder.watch.EventLoop;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes in the main objects that no available shard owns, however many there are: a page
 * of them when there is room for it, and what a watch tells at once. Of what is listed
 * nobody knows the past. If that is no more than a page, what it controls is looked for
 * by a list that is matched with it; if it is more, by one {@link ControlledSurvey} for
 * all.
 */
final class Adoption {

	private static final Logger log = LoggerFactory.getLogger(Adoption.class);

	private static final int UNDER_WAY = 500;

	/* Of what a watch tells; beyond it, nobody reads the watch for a while. */
	private static final int MOST_TOLD = 5_000;

	private static final Duration HELD_FOR = Duration.ofSeconds(2);

	private static final Duration NAMESPACE_UNKNOWN = Duration.ofMillis(200);

	private static final int NAMESPACE_UNKNOWN_LOOKS = 5;

	private final RingScope scope;

	private final ControlledLists lists;

	private final Placer placer;

	private final Drains drains;

	private final LeaseHolds leaseHolds;

	private final PendingDependents pendingDependents;

	private final MainObjects mainObjects;

	private final EventLoop loop;

	private final PlacementReports reports;

	private final Supplier<Room> rooms;

	/* Whether no drain of the resource can have ended that nobody here has heard of. */
	private final Predicate<ShardedResource> knowsDrains;

	/* Whether the watch of the resource lists what has no owner at the moment. */
	private final Predicate<ShardedResource> listing;

	private final Runnable resync;

	private final Runnable failed;

	private final AtomicInteger told = new AtomicInteger();

	/**
	 * @param resync called on the ring's thread when what was passed over can be taken in
	 * @param failed called on the ring's thread when something could not be judged
	 */
	Adoption(RingScope scope, ControlledLists lists, Placer placer, Drains drains, LeaseHolds leaseHolds,
			PendingDependents pendingDependents, MainObjects mainObjects, EventLoop loop, PlacementReports reports,
			Supplier<Room> rooms, Predicate<ShardedResource> knowsDrains, Predicate<ShardedResource> listing,
			Runnable resync, Runnable failed) {
		this.scope = scope;
		this.lists = lists;
		this.placer = placer;
		this.drains = drains;
		this.leaseHolds = leaseHolds;
		this.pendingDependents = pendingDependents;
		this.mainObjects = mainObjects;
		this.loop = loop;
		this.reports = reports;
		this.rooms = rooms;
		this.knowsDrains = knowsDrains;
		this.listing = listing;
		this.resync = resync;
		this.failed = failed;
	}

	/** What takes in the objects of one main resource, by the ring as it is now. */
	UnownedWatch.Listener of(ShardedResource resource) {
		return new OfResource(resource, this.placer.ring());
	}

	/**
	 * What takes in the objects of one main resource that a resync finds without owner,
	 * unless its watch lists them just then. Gets at least the first page and those with
	 * objects, on the ring's thread.
	 * @param left called where objects are left to the watch, which may have told of them
	 * already
	 */
	Function<Page, CompletableFuture<?>> resyncing(ShardedResource resource, Runnable left) {
		UnownedWatch.Listener taking = of(resource);
		return (page) -> {
			boolean listing = this.listing.test(resource);
			if (listing && !page.objects().isEmpty()) {
				left.run();
			}
			return (listing || (page.objects().isEmpty() && !page.first())) ? CompletableFuture.completedFuture(null)
					: taking.listed(page, this.resync);
		};
	}

	/**
	 * What takes in the objects of one main resource in namespaces that came to the ring,
	 * whoever has them. May be called by any thread.
	 */
	Function<Page, CompletableFuture<?>> arriving(ShardedResource resource) {
		UnownedWatch.Listener taking = of(resource);
		HashRing by = this.placer.ring();
		return (page) -> {
			List<ShardedObject> owned = page.objects().stream().filter((one) -> this.placer.isOwned(one, by)).toList();
			List<ShardedObject> unowned = page.objects()
				.stream()
				.filter((one) -> !this.placer.isOwned(one, by))
				.toList();
			return CompletableFuture.allOf(moving(owned, by, true), taking.listed(page.of(unowned), this.resync));
		};
	}

	/** Takes in what a shard had that is held: moves what it controls first. */
	CompletableFuture<?> moving(List<ShardedObject> page) {
		return moving(page, this.placer.ring(), false);
	}

	/*
	 * By a later ring it is listed anew, as it may have got an owner in between. Drains
	 * wait for their turn: where many do already, a resync finds the rest.
	 */
	private CompletableFuture<?> moving(List<ShardedObject> page, HashRing by, boolean drains) {
		return CompletableFuture.runAsync(() -> {
			if (drains && !page.isEmpty() && this.mainObjects.isCrowded()) {
				this.failed.run();
			}
			else if (by == this.placer.ring()) {
				each(page, (object) -> this.mainObjects.judge(object, Past.UNKNOWN));
			}
		}, this.loop).thenComposeAsync((judged) -> this.mainObjects.room(UNDER_WAY), this.loop);
	}

	/**
	 * Judges objects, so that one of them that cannot be judged holds up no other one. To
	 * be called on the ring's thread.
	 */
	void each(List<ShardedObject> objects, Consumer<ShardedObject> judge) {
		for (ShardedObject object : objects) {
			try {
				judge.accept(object);
			}
			catch (RuntimeException ex) {
				log.error("Failed to judge object ring={} resource={} object={}", this.scope.ring(), object.resource(),
						object.key(), ex);
				this.failed.run();
			}
		}
	}

	/**
	 * The objects of one main resource.
	 */
	private final class OfResource implements UnownedWatch.Listener {

		private final ShardedResource resource;

		/* When it is another, everything is listed anew. */
		private final HashRing ring;

		/* Shards that are not held yet and have objects that had to be passed over. */
		private final Set<String> awaited = new HashSet<>();

		private @Nullable ControlledSurvey survey;

		/* How many objects were listed whose past nobody knows. */
		private int unknown;

		private OfResource(ShardedResource resource, HashRing ring) {
			this.resource = resource;
			this.ring = ring;
		}

		@Override
		public CompletableFuture<?> listed(Page page, Runnable again) {
			EventLoop onRing = Adoption.this.loop;
			return CompletableFuture.supplyAsync(() -> past(page), onRing)
				.thenCompose((past) -> past)
				.thenAcceptAsync((past) -> {
					if (isUpToDate()) {
						each(page.objects(), (object) -> judge(object, past, again));
					}
					if (page.last()) {
						this.survey = null;
					}
				}, onRing)
				.thenComposeAsync((judged) -> Adoption.this.mainObjects.room(UNDER_WAY), onRing);
		}

		private CompletableFuture<Past> past(Page page) {
			if (page.first()) {
				// It is later than an earlier survey, which says nothing of it.
				this.survey = null;
			}
			int found = (int) page.objects().stream().filter(this::isUnknown).count();
			this.unknown = page.first() ? found : this.unknown + found;
			boolean few = this.survey == null && this.unknown <= MetadataLists.PAGE_SIZE
					&& (page.last() || (page.first() && found < MetadataLists.PAGE_SIZE / 2));
			if (few || found == 0 || this.ring.shards().isEmpty() || !isUpToDate()
					|| !Adoption.this.scope.hasControlled(this.resource)) {
				return CompletableFuture.completedFuture(Past.UNKNOWN);
			}
			ControlledSurvey begun = this.survey;
			if (begun == null) {
				begun = new ControlledSurvey(Adoption.this.scope,
						Adoption.this.scope.resources().getOrDefault(this.resource, List.of()), Adoption.this.lists,
						Adoption.this.placer, Adoption.this.leaseHolds, Adoption.this.pendingDependents,
						Adoption.this.mainObjects::isChangingHands, Adoption.this.loop, Adoption.this.reports,
						Adoption.this.rooms.get(), ControlledSurvey.KEPT_IN_MIND);
				this.survey = begun;
			}
			Past surveyed = Past.surveyed(begun);
			return begun.done().thenApply((done) -> surveyed);
		}

		private boolean isUpToDate() {
			return this.ring == Adoption.this.placer.ring();
		}

		private boolean isUnknown(ShardedObject object) {
			return object.shardingKey() != null && Adoption.this.drains.owner(object.shardingKey()) == null;
		}

		private void judge(ShardedObject object, Past past, Runnable again) {
			String left = object.shard(Adoption.this.scope.ring());
			if (!Adoption.this.mainObjects.judgeListed(object, past) && left != null && this.awaited.add(left)) {
				Adoption.this.leaseHolds.from(left).thenAcceptAsync((hold) -> {
					this.awaited.remove(left);
					if (hold != null) {
						again.run();
					}
					Adoption.this.loop.schedule(() -> Adoption.this.leaseHolds.done(left), HELD_FOR);
				}, Adoption.this.loop);
			}
		}

		/*
		 * An older one without a label was somebody's until its label was taken off by
		 * hand: what it controls may be with another shard. So it may be if an earlier
		 * sharder, or we by an earlier ring, began to move what a lost shard had.
		 */
		@Override
		public CompletableFuture<?> seen(ShardedObject object, boolean isNew) {
			boolean pastKnown = isNew && object.shard(Adoption.this.scope.ring()) == null;
			return tell(() -> judgeSeen(object, pastKnown, NAMESPACE_UNKNOWN_LOOKS));
		}

		/*
		 * The list and its survey tell of it: nobody had it since. To look for what it
		 * controls would cost a list for each change.
		 */
		@Override
		public CompletableFuture<?> changed(ShardedObject object, Runnable again) {
			return tell(() -> {
				ShardingKey key = object.shardingKey();
				if (key == null) {
					return;
				}
				if (Adoption.this.mainObjects.isChangingHands(key) || Adoption.this.drains.owner(key) != null) {
					judgeSeen(object, false, 0);
				}
				else {
					again.run();
				}
			});
		}

		/*
		 * Two watches race: the namespace of a new object may be known a moment later,
		 * and is looked at together with others then.
		 */
		private void judgeSeen(ShardedObject object, boolean pastKnown, int looks) {
			NamespaceFilter namespaces = Adoption.this.scope.namespaces();
			String namespace = object.key().namespace();
			if (looks > 0 && !namespaces.includes(namespace) && !namespaces.leavesOut(namespace)) {
				// The watch may be older than the ring, which a mass move leaves open.
				HashRing before = Adoption.this.placer.ring();
				Adoption.this.told.incrementAndGet();
				Adoption.this.loop.schedule(() -> {
					Adoption.this.told.decrementAndGet();
					if (before == Adoption.this.placer.ring()) {
						judgeSeen(object, false, looks - 1);
					}
				}, NAMESPACE_UNKNOWN);
			}
			else {
				Adoption.this.mainObjects.judge(object,
						Past.of(pastKnown && Adoption.this.knowsDrains.test(this.resource)));
			}
		}

		/* Does what was told, and says when there is room for more. */
		private CompletableFuture<Void> tell(Runnable judging) {
			int waiting = Adoption.this.told.incrementAndGet() + Adoption.this.mainObjects.size();
			Adoption.this.loop.execute(() -> {
				Adoption.this.told.decrementAndGet();
				judging.run();
			});
			CompletableFuture<Void> room = new CompletableFuture<>();
			if (waiting < MOST_TOLD) {
				room.complete(null);
			}
			else {
				Adoption.this.loop
					.execute(() -> Adoption.this.mainObjects.room(MOST_TOLD).thenRun(() -> room.complete(null)));
			}
			return room;
		}

	}

}
