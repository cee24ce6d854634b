package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.sharding.core.ShardingLabels;
import dev.sharding.core.key.ShardingKey;
import dev.sharding.core.ring.HashRing;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.sharder.assignment.ObjectWatch.Listener;
import dev.sharding.sharder.assignment.ResourceProblems.Operation;
import dev.sharding.sharder.hold.ShardHolds;
import dev.sharding.sharder.loop.EventLoop;
import dev.sharding.sharder.ring.NamespaceFilter;
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

	private static final Duration DRAINS_LISTED_WITHIN = Duration.ofSeconds(5);

	private static final Duration NAMESPACE_UNKNOWN = Duration.ofMillis(200);

	private static final int NAMESPACE_UNKNOWN_LOOKS = 5;

	private final RingScope scope;

	private final RingConnection connection;

	private final ResourceProblems problems;

	private final EventLoop loop;

	private final PatchQueue queue;

	private final Drains drains;

	private final LostShards lostShards;

	private final MovedAhead movedAhead;

	private final Departures departures;

	private final Sources sources;

	private final MassMoves massMoves;

	private final DrainPacer pacer;

	private final MainObjects mainObjects;

	private final ResyncSchedule resyncs;

	private final AssignmentMode mode;

	private final Arrivals arrivals;

	private final AdmittedDrains admitted;

	private final StuckDrains stuckDrains;

	private final RingGauges gauges;

	private final List<ObjectWatch> drainWatches = new ArrayList<>();

	private final List<ObjectWatch> assignmentWatches = new ArrayList<>();

	private volatile HashRing ring = HashRing.of(List.of());

	/* The shards whose objects the open watches leave out. */
	private SortedSet<String> watched = Collections.emptySortedSet();

	/* The latest membership, as long as it cannot be acted on. */
	private @Nullable SortedSet<String> waiting;

	private boolean drainsListed;

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
		this.departures = new Departures(holds, this.loop);
		MetadataLists lists = new MetadataLists(requests, connection.serialization(), scope, connection.throttle());
		Placer placer = new Placer(connection, scope, this.queue, this.loop, () -> this.ring, this.drains,
				() -> failedToPlace());
		PlacementReports reports = new PlacementReports(problems);
		ControlledLists controlled = new ControlledLists(scope, lists, this.loop, problems);
		this.movedAhead = new MovedAhead(scope, placer, this.departures, this.loop, reports, connection.nanoTime());
		this.lostShards = new LostShards(scope, controlled, placer, this.movedAhead, reports);
		this.sources = new Sources(connection, scope, this.loop);
		HandOvers handOvers = new HandOvers(scope, controlled, this.sources, this.lostShards, this.movedAhead, placer,
				this.loop, reports, order);
		this.pacer = new DrainPacer(this.sources, placer, settings.drainBudget(), this.loop, connection.nanoTime());
		this.mainObjects = new MainObjects(scope, placer, handOvers, this.drains, this.pacer, this.departures,
				this.movedAhead, this.loop, reports, () -> failedToPlace());
		this.massMoves = new MassMoves(scope, lists, this.lostShards, this.mainObjects, this.departures, this.loop,
				this::judgeLater);
		this.arrivals = new Arrivals(scope, lists, problems, this.loop, this::judge, () -> failedToPlace());
		this.resyncs = new ResyncSchedule(this.loop, settings.syncPeriod(), connection.nanoTime(), () -> {
			this.drains.tidy();
			this.movedAhead.tidy();
			if (this.arrivals.isIdle()) {
				this.mainObjects.tidy();
			}
			return new Resync(scope, this.ring, lists, placer, this.mainObjects, this.drains, this.departures,
					this.movedAhead, this.loop, problems, reports);
		}, this::resynced);
		this.gauges = connection.metrics().gauges(connection.nanoTime());
		this.gauges.backlog("objects", this.mainObjects::size);
		this.gauges.backlog("patches", this.queue::size);
		this.gauges.backlog("hanging", this.queue::hanging);
		this.gauges.backlog("drains", this.drains::live);
		this.gauges.failing(reports::failing);
		this.stuckDrains = new StuckDrains(this.drains, this.pacer, settings.drainPatience(), holds, this.gauges,
				this.loop, stuckDrains);
		this.admitted = new AdmittedDrains(scope, settings.mode(), this.pacer, this.resyncs, this.loop);
	}

	/**
	 * Starts. Objects are assigned as soon as the drains under way are known, so that
	 * none of them is taken for a new object.
	 */
	public void start() {
		this.loop.execute(() -> {
			for (ShardedResource main : this.scope.main()) {
				ObjectWatch watch = new ObjectWatch(this.connection, this.scope, main,
						ShardingLabels.drain(this.scope.ring()), Operation.WATCH_DRAINS, this.problems,
						new DrainListener());
				this.drainWatches.add(watch);
				watch.start();
			}
			CompletableFuture
				.allOf(this.drainWatches.stream().map(ObjectWatch::synced).toArray(CompletableFuture[]::new))
				.orTimeout(DRAINS_LISTED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
				.handleAsync((done, failure) -> {
					this.drainsListed = true;
					this.stuckDrains.look();
					if (this.waiting != null) {
						apply(this.waiting);
					}
					return null;
				}, this.loop);
		});
	}

	/**
	 * Tells which shards are available now. Calls must be in order.
	 * @param available their names
	 */
	public void membership(SortedSet<String> available) {
		this.loop.execute(() -> {
			if (this.drainsListed) {
				apply(available);
			}
			else {
				this.waiting = available;
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
	 * Stops. What was not sent never is.
	 * @return completes once no patch is in flight any more, or has been waited for for a
	 * while; never fails
	 */
	public CompletableFuture<Void> stop() {
		this.gauges.close();
		this.loop.execute(() -> {
			this.resyncs.stop();
			this.arrivals.stop();
			closeAll(this.drainWatches);
			closeAll(this.assignmentWatches);
			this.massMoves.stop();
			this.departures.close();
			this.sources.close();
			this.loop.close();
		});
		return this.queue.close()
			.copy()
			.orTimeout(PATCHES_END_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
			.exceptionally((late) -> {
				log.warn("Stopped with patches in flight ring={}", this.scope.ring());
				return null;
			});
	}

	private void apply(SortedSet<String> available) {
		SortedSet<String> before = this.ring.shards();
		if (before.equals(available)) {
			return;
		}
		log.info("Membership changed ring={} available={} before={}", this.scope.ring(), available, before);
		this.ring = HashRing.of(available);
		this.connection.metrics().ringCalculated();
		this.resyncs.stop();
		this.arrivals.restart(this.ring);
		this.queue.dropNormal();
		this.pacer.dropAll();
		SortedSet<String> lost = new TreeSet<>(this.watched);
		lost.removeAll(available);
		this.lostShards.retain(lost);
		boolean nobodyCame = before.containsAll(available);
		if (nobodyCame && !available.isEmpty() && this.watched.containsAll(available) && isListed()) {
			this.massMoves.begin(lost, () -> {
				open(this.ring.shards());
				this.resyncs.afterwards(this::isQuiet, this::isListed);
			});
		}
		else {
			open(available);
			if (before.isEmpty() || nobodyCame) {
				// Nobody has to give anything up, so what has no owner goes first.
				this.resyncs.afterwards(this::isQuiet, this::isListed);
			}
			else if (!available.isEmpty()) {
				this.resyncs.now();
			}
		}
	}

	private void open(SortedSet<String> available) {
		this.massMoves.stop();
		this.lostShards.retain(List.of());
		closeAll(this.assignmentWatches);
		this.watched = available;
		if (available.isEmpty() || !this.mode.isWatching()) {
			return;
		}
		String unowned = Arrivals.unowned(this.scope.ring(), this.ring);
		for (ShardedResource main : this.scope.main()) {
			ObjectWatch watch = new ObjectWatch(this.connection, this.scope, main, unowned, Operation.WATCH,
					this.problems, new UnownedListener());
			this.assignmentWatches.add(watch);
			watch.start();
		}
	}

	private void judgeLater(List<ShardedObject> objects) {
		this.loop.execute(() -> judge(objects));
	}

	private void judge(List<ShardedObject> objects) {
		objects.forEach((object) -> this.mainObjects.judge(object, false));
	}

	/*
	 * Two watches race: the namespace of a new object may be known a moment later, and is
	 * looked at together with others then.
	 */
	private void judgeSeen(ShardedObject object, boolean pastKnown, int looks) {
		NamespaceFilter namespaces = this.scope.namespaces();
		String namespace = object.key().namespace();
		if (looks > 0 && !namespaces.includes(namespace) && !namespaces.leavesOut(namespace)) {
			HashRing before = this.ring;
			this.loop.schedule(() -> {
				if (this.ring == before) {
					judgeSeen(object, false, looks - 1);
				}
			}, NAMESPACE_UNKNOWN);
		}
		else {
			this.mainObjects.judge(object, pastKnown && knowsDrains());
		}
	}

	private boolean isListed() {
		return areListed(this.assignmentWatches);
	}

	/* Whether no drain can have ended that nobody here has heard of. */
	private boolean knowsDrains() {
		return areListed(this.drainWatches);
	}

	private static boolean areListed(List<ObjectWatch> watches) {
		return watches.stream()
			.map(ObjectWatch::synced)
			.allMatch((synced) -> synced.isDone() && !synced.isCompletedExceptionally());
	}

	private boolean isQuiet() {
		return isListed() && this.mainObjects.isIdle();
	}

	private void resynced(Duration duration, boolean complete) {
		this.connection.metrics().resynced(duration, complete);
		if (complete) {
			this.gauges.resynced();
		}
	}

	private void failedToPlace() {
		this.resyncs.failed();
	}

	private static void closeAll(List<ObjectWatch> watches) {
		watches.forEach(ObjectWatch::close);
		watches.clear();
	}

	/**
	 * Objects that no available shard owns, whatever the reason.
	 */
	private final class UnownedListener implements Listener {

		@Override
		public void listed(List<ShardedObject> objects) {
			judgeLater(objects);
		}

		/*
		 * An older one without a label was somebody's until its label was taken off by
		 * hand: what it controls may be with another shard.
		 */
		@Override
		public void seen(ShardedObject object, boolean isNew) {
			boolean pastKnown = isNew || object.shard(RingAssignment.this.scope.ring()) != null;
			RingAssignment.this.loop.execute(() -> judgeSeen(object, pastKnown, NAMESPACE_UNKNOWN_LOOKS));
		}

	}

	/**
	 * Objects whose owner is asked to let go. Their end tells nothing that the other
	 * watch does not, except who the owner was.
	 */
	private final class DrainListener implements Listener {

		@Override
		public void listed(List<ShardedObject> objects) {
			objects.forEach((object) -> seen(object, false));
		}

		@Override
		public void seen(ShardedObject object, boolean isNew) {
			String owner = object.shard(RingAssignment.this.scope.ring());
			ShardingKey key = object.shardingKey();
			if (owner != null && key != null) {
				RingAssignment.this.drains.began(key, owner);
			}
		}

		@Override
		public void left(ShardedObject last) {
			ShardingKey key = last.shardingKey();
			String owner = last.shard(RingAssignment.this.scope.ring());
			if (owner != null) {
				RingAssignment.this.loop.execute(() -> RingAssignment.this.pacer.acknowledged(owner));
			}
			if (key != null) {
				RingAssignment.this.drains.ended(key);
				RingAssignment.this.admitted.ended(last, key);
			}
		}

	}

}
