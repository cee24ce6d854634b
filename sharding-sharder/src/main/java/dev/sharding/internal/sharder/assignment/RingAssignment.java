package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.activity.ObjectRef;
import dev.sharding.internal.sharder.assignment.metadata.DrainWatch;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems;
import dev.sharding.internal.sharder.assignment.metadata.RingConnection;
import dev.sharding.internal.sharder.assignment.metadata.RingGauges;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.metadata.Sources;
import dev.sharding.internal.sharder.assignment.metadata.UnownedWatch;
import dev.sharding.internal.sharder.assignment.placement.AssignmentMode;
import dev.sharding.internal.sharder.assignment.placement.AssignmentSettings;
import dev.sharding.internal.sharder.assignment.placement.AwayShards;
import dev.sharding.internal.sharder.assignment.placement.Drains;
import dev.sharding.internal.sharder.assignment.placement.InFlightLimit;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue;
import dev.sharding.internal.sharder.assignment.placement.PlacementReports;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.shardlease.Membership;
import dev.sharding.internal.sharder.shardlease.ShardHolds;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts every object of one ring where it belongs, from {@link #start()} to
 * {@link #stop()}. What nobody available owns comes by watch and gets an owner at once;
 * what an available shard has to give up is found by a resync, on each change of
 * membership and once in a while. All methods may be called by any thread, and return at
 * once.
 */
public final class RingAssignment {

	private static final Logger log = LoggerFactory.getLogger(RingAssignment.class);

	private static final Duration PATCHES_END_WITHIN = Duration.ofSeconds(5);

	/* Of one pass over controlled objects. */
	private static final int CONTROLLED_UNDER_WAY = 500;

	private static final Duration DRAINS_LISTED_WITHIN = Duration.ofSeconds(5);

	private final RingScope scope;

	private final RingConnection connection;

	private final ResourceProblems problems;

	private final EventLoop loop;

	private final PatchQueue queue;

	private final Drains drains;

	private final UnavailableShards unavailableShards;

	private final PendingDependents pendingDependents;

	private final LeaseHolds leaseHolds;

	private final Sources sources;

	private final MassMoves massMoves;

	private final DrainLimiter pacer;

	private final MainObjects mainObjects;

	private final ResyncSchedule resyncs;

	private final AssignmentMode mode;

	private final Arrivals arrivals;

	private final AdmittedDrains admitted;

	private final StuckDrains stuckDrains;

	private final RingGauges gauges;

	private final PlacementReports reports;

	private int failuresBegun;

	private final Adoption adoption;

	private final MetadataLists lists;

	private final List<DrainWatch> drainWatches = new ArrayList<>();

	private final List<UnownedWatch> assignmentWatches = new ArrayList<>();

	/* When was looked last. */
	private int pagesSeen;

	private volatile HashRing ring = HashRing.of(List.of());

	/* The shards whose objects the open watches leave out. */
	private SortedSet<String> watched = Collections.emptySortedSet();

	/* Applies the latest membership, as long as it cannot be acted on. */
	private @Nullable Runnable waiting;

	private boolean drainsListed;

	private volatile boolean paused;

	private final AwayShards away = new AwayShards();

	/**
	 * Prepares the work on a ring.
	 * @param scope what is shared out
	 * @param connection the API server, metrics, time
	 * @param settings how it is done
	 * @param holds what allows to move objects of unavailable shards
	 * @param order in which the objects of a hand-over get their label
	 * @param problems where trouble with a resource is reported
	 * @param stuckDrains gets what to say about each shard that does not let go, after
	 * each change
	 */
	public RingAssignment(RingScope scope, RingConnection connection, AssignmentSettings settings, ShardHolds holds,
			HandOverOrder order, ResourceProblems problems, Consumer<SortedMap<String, String>> stuckDrains) {
		this.scope = scope;
		this.connection = connection;
		this.problems = problems;
		this.mode = settings.mode();
		this.loop = new EventLoop("sharder-ring-" + scope.ring());
		this.queue = new PatchQueue(new InFlightLimit(settings.concurrentMoves(), connection.throttle()::atMost),
				connection.nanoTime(), this.loop::schedule);
		this.drains = new Drains(connection.nanoTime());
		ApiRequests requests = connection.requests();
		this.leaseHolds = new LeaseHolds(holds, this.loop);
		this.lists = new MetadataLists(requests, scope, connection.throttle());
		Placer placer = new Placer(connection, scope, this.queue, this.loop, () -> this.ring, () -> this.paused,
				this.away, this.drains, () -> failedToPlace());
		PlacementReports reports = new PlacementReports(problems);
		this.reports = reports;
		Supplier<Room> rooms = () -> new Room(CONTROLLED_UNDER_WAY, connection.nanoTime(), this.loop::schedule);
		ControlledLists controlled = new ControlledLists(scope, this.lists, this.loop, problems);
		this.pendingDependents = new PendingDependents(scope, placer, this.leaseHolds, this.loop, reports,
				connection.nanoTime());
		this.unavailableShards = new UnavailableShards(scope, controlled, placer, this.pendingDependents, reports,
				rooms, this.loop);
		this.sources = new Sources(connection, scope, this.lists, this.loop);
		HandOvers handOvers = new HandOvers(scope, controlled, this.sources, this.unavailableShards,
				this.pendingDependents, placer, this.loop, reports, order);
		this.pacer = new DrainLimiter(this.sources, placer, settings.drainBudget(), this.loop, connection.nanoTime(),
				() -> failedToPlace());
		this.mainObjects = new MainObjects(scope, placer, handOvers, this.drains, this.pacer, this.leaseHolds,
				this.pendingDependents, this.loop, reports, connection.activity(), () -> failedToPlace());
		this.adoption = new Adoption(scope, controlled, placer, this.drains, this.leaseHolds, this.pendingDependents,
				this.mainObjects, this.loop, reports, rooms, this::knowsDrains, this::isListing, () -> soon(),
				() -> failedToPlace());
		this.massMoves = new MassMoves(scope, this.lists, this.unavailableShards, this.mainObjects, this.leaseHolds,
				this.loop, this.adoption::moving);
		// A namespace is listed once: what else fails must not put that off.
		this.arrivals = new Arrivals(scope, this.lists, problems, this.loop, this.adoption::arriving,
				() -> failedToList());
		this.resyncs = new ResyncSchedule(this.loop, settings.syncPeriod(), connection.nanoTime(), () -> {
			this.drains.tidy();
			this.pendingDependents.tidy();
			placer.tidy();
			if (this.arrivals.isIdle() && !this.massMoves.isUnderWay()
					&& this.assignmentWatches.stream().noneMatch(UnownedWatch::isListing)) {
				this.mainObjects.tidy();
			}
			return new Resync(scope, this.ring, this.lists, placer, this.mainObjects, this.drains, this.leaseHolds,
					this.pendingDependents, this.loop, problems, reports, connection.activity(), this.adoption,
					rooms.get());
		}, this::resynced);
		this.gauges = connection.metrics().gauges(connection.nanoTime());
		this.gauges.backlog("objects", this.mainObjects::size);
		this.gauges.backlog("patches", this.queue::size);
		this.gauges.backlog("hanging", () -> Math.max(this.queue.hanging(), placer.hanging()));
		this.gauges.backlog("drains", this.drains::live);
		this.gauges.failing(reports::failing);
		this.stuckDrains = new StuckDrains(this.drains, this.pacer, settings.drainPatience(), holds, this.gauges,
				this.away, this.loop, stuckDrains);
		this.admitted = new AdmittedDrains(scope, settings.mode(), this.pacer, this.resyncs, this.loop);
	}

	/**
	 * Starts. Objects are assigned as soon as the drains under way are known, so that
	 * none of them is taken for a new object.
	 */
	public void start() {
		this.connection.activity().begin(this.scope.all().stream().map(ShardedResource::toString).toList());
		this.loop.execute(() -> {
			for (ShardedResource main : this.scope.main()) {
				DrainWatch watch = new DrainWatch(this.connection, this.scope, main,
						ShardingLabels.drain(this.scope.ring()), this.lists, this.problems, new DrainListener());
				this.drainWatches.add(watch);
				watch.start();
			}
			CompletableFuture
				.allOf(this.drainWatches.stream().map(DrainWatch::synced).toArray(CompletableFuture[]::new))
				.orTimeout(DRAINS_LISTED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
				.handleAsync((done, failure) -> {
					this.drainsListed = true;
					this.stuckDrains.look();
					if (this.waiting != null) {
						this.waiting.run();
					}
					return null;
				}, this.loop);
		});
	}

	/**
	 * Tells which shards are members now. Calls must be in order.
	 * @param latest these shards; what those have that are given back stays, and waits
	 * for their next holder
	 */
	public void membership(Membership latest) {
		this.loop.execute(() -> {
			if (this.drainsListed) {
				apply(latest);
			}
			else {
				this.waiting = () -> apply(latest);
			}
		});
	}

	/**
	 * Tells whether objects stay with their available owners for now. What has no owner
	 * still gets one, and what was asked for already still changes hands.
	 * @param now whether the ring is paused
	 */
	public void paused(boolean now) {
		this.loop.execute(() -> {
			if (this.paused == now) {
				return;
			}
			this.paused = now;
			log.info("{} ring={}", now ? "Moves are paused" : "Moves go on", this.scope.ring());
			if (now) {
				this.pacer.dropAll();
			}
			else if (!this.ring.isEmpty()) {
				this.resyncs.soon();
			}
		});
	}

	/**
	 * Looks at the objects of namespaces that the ring did not select until lately.
	 * @param namespaces their names
	 */
	public void came(Set<String> namespaces) {
		this.loop.execute(() -> this.arrivals.list(namespaces, this.ring));
	}

	/** Looks at all objects soon: something changed that no watch tells. */
	public void resync() {
		this.loop.execute(this.resyncs::soon);
	}

	/**
	 * Tells why objects could not be placed.
	 * @return the reasons; not of all objects where there are many
	 */
	public Map<ObjectRef, String> failures() {
		return this.reports.failures();
	}

	/**
	 * Stops. What was not sent never is.
	 * @return completes once no patch is in flight any more, or has been waited for for a
	 * while; never fails
	 */
	public CompletableFuture<Void> stop() {
		this.gauges.close();
		CompletableFuture<Void> begun = CompletableFuture.runAsync(() -> {
			this.resyncs.stop();
			this.arrivals.stop();
			this.drainWatches.forEach(DrainWatch::close);
			closeAssignmentWatches();
			this.massMoves.stop();
			this.sources.close();
			this.loop.close();
		}, this.loop);
		CompletableFuture<Void> ended = this.queue.close();
		// A patch that is on its way must not meet a shard that has its Lease again.
		begun.runAfterBoth(ended, this.leaseHolds::close);
		return ended.copy().orTimeout(PATCHES_END_WITHIN.toMillis(), TimeUnit.MILLISECONDS).exceptionally((late) -> {
			log.warn("Stopped with patches in flight ring={}", this.scope.ring());
			return null;
		});
	}

	private void apply(Membership membership) {
		HashRing last = this.ring;
		HashRing latest = membership.hashRing(last);
		Set<String> givenBack = membership.givenBack();
		Set<String> returned = this.away.become(givenBack);
		this.drains.askedAgain(returned);
		if (last.isSameAs(latest)) {
			askWhatWaited(returned);
			return;
		}
		log.info("Membership changed ring={} available={} givenBack={} before={}", this.scope.ring(), latest, givenBack,
				last);
		if (isArrivalOnly(last, latest) && isQuiet() && !this.resyncs.isUnderWay() && this.arrivals.isIdle()
				&& !this.massMoves.isUnderWay()) {
			// Nobody gets or loses anything, and nothing is under way that has to know.
			this.ring = latest;
			askWhatWaited(returned);
			return;
		}
		SortedSet<String> before = last.shards();
		SortedSet<String> available = latest.shards();
		this.ring = latest;
		this.connection.metrics().ringCalculated();
		this.resyncs.stop();
		this.arrivals.restart(this.ring);
		this.queue.dropNormal();
		this.pacer.dropAll();
		SortedSet<String> lost = new TreeSet<>(this.watched);
		lost.removeAll(available);
		boolean nobodyCame = before.containsAll(available) && last.takers().containsAll(latest.takers())
				&& last.cordoned().equals(latest.cordoned());
		// What was moved by an earlier ring is not where this one wants it: look for all.
		boolean begun = this.massMoves.isUnderWay();
		if (nobodyCame && !begun && !available.isEmpty() && this.watched.containsAll(available) && isListed()) {
			this.massMoves.begin(lost, () -> {
				open(this.ring.shards());
				resyncAfterwards();
			});
		}
		else {
			open(available);
			if (before.isEmpty() || nobodyCame) {
				// Nobody has to give anything up, so what has no owner goes first.
				resyncAfterwards();
			}
			else if (!available.isEmpty()) {
				this.resyncs.now();
			}
		}
	}

	/* A pass on other threads may not know of it yet. */
	private void askWhatWaited(Set<String> returned) {
		if (!returned.isEmpty() && (this.away.forgetWaiting() || this.resyncs.isUnderWay())) {
			this.resyncs.soon();
		}
	}

	/* Whoever came gets nothing yet. The first one does. */
	private static boolean isArrivalOnly(HashRing last, HashRing latest) {
		return !last.isEmpty() && last.takers().equals(latest.takers()) && last.cordoned().equals(latest.cordoned())
				&& latest.shards().containsAll(last.shards());
	}

	private void open(SortedSet<String> available) {
		this.massMoves.stop();
		this.unavailableShards.forget();
		closeAssignmentWatches();
		this.watched = available;
		if (available.isEmpty() || !this.mode.isWatching()) {
			return;
		}
		String unowned = Arrivals.unowned(this.scope.ring(), this.ring);
		for (ShardedResource main : this.scope.main()) {
			UnownedWatch watch = new UnownedWatch(this.connection, this.scope, main, unowned, this.lists, this.problems,
					this.adoption.of(main));
			this.assignmentWatches.add(watch);
			watch.start();
		}
	}

	private void resyncAfterwards() {
		this.pagesSeen = 0;
		this.resyncs.afterwards(this::isQuiet, () -> isListed() || isListing(), this::hasListedMore);
	}

	private boolean isListed() {
		return areDone(this.assignmentWatches.stream().map(UnownedWatch::synced));
	}

	/* Whether what has no owner comes page by page at the moment. */
	private boolean isListing() {
		return this.assignmentWatches.stream().anyMatch(RingAssignment::isListing);
	}

	private boolean isListing(ShardedResource main) {
		return this.assignmentWatches.stream().filter((watch) -> watch.isOf(main)).anyMatch(RingAssignment::isListing);
	}

	private static boolean isListing(UnownedWatch watch) {
		return watch.isListing() && watch.pages() > 0;
	}

	private boolean hasListedMore() {
		int before = this.pagesSeen;
		this.pagesSeen = this.assignmentWatches.stream().mapToInt(UnownedWatch::pages).sum();
		return this.pagesSeen > before;
	}

	/* Whether no drain of it can have ended that nobody here has heard of. */
	private boolean knowsDrains(ShardedResource main) {
		return areDone(this.drainWatches.stream().filter((watch) -> watch.isOf(main)).map(DrainWatch::synced));
	}

	private static boolean areDone(Stream<CompletableFuture<Void>> all) {
		return all.allMatch((one) -> one.isDone() && !one.isCompletedExceptionally());
	}

	private boolean isQuiet() {
		return isListed() && this.mainObjects.isIdle();
	}

	private void resynced(Duration duration, boolean complete) {
		this.connection.metrics().resynced(duration, complete);
		if (complete) {
			this.gauges.resynced();
			if (this.mainObjects.isIdle()) {
				this.unavailableShards.tidy();
			}
		}
	}

	private void soon() {
		this.resyncs.soon();
	}

	private void failedToPlace() {
		int begun = this.reports.begun();
		this.resyncs.failed(begun != this.failuresBegun);
		this.failuresBegun = begun;
	}

	private void failedToList() {
		this.resyncs.failed(true);
	}

	private void closeAssignmentWatches() {
		this.assignmentWatches.forEach(UnownedWatch::close);
		this.assignmentWatches.clear();
	}

	/**
	 * Objects whose owner is asked to let go. Their end tells nothing that the other
	 * watch does not, except who the owner was.
	 */
	private final class DrainListener implements DrainWatch.Listener {

		@Override
		public void seen(ShardedObject object) {
			String owner = object.shard(RingAssignment.this.scope.ring());
			ShardingKey key = object.shardingKey();
			if (owner != null && key != null) {
				RingAssignment.this.drains.began(key, owner);
				RingAssignment.this.connection.activity().draining(object.ref(), owner);
			}
		}

		@Override
		public void left(ShardedObject last) {
			ShardingKey key = last.shardingKey();
			String owner = last.shard(RingAssignment.this.scope.ring());
			if (owner != null) {
				RingAssignment.this.connection.activity().letGo(last.ref(), owner, last.resourceVersion());
				RingAssignment.this.loop.execute(() -> RingAssignment.this.pacer.acknowledged(owner));
			}
			if (key != null) {
				RingAssignment.this.drains.ended(key);
				RingAssignment.this.admitted.ended(last, key);
			}
		}

	}

}
