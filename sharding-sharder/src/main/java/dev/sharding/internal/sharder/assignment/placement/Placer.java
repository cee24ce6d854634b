package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.AssignmentDecision;
import dev.sharding.internal.core.assignment.AssignmentFacts;
import dev.sharding.internal.core.assignment.HandOver;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.LabelPatch;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.sharder.activity.Action;
import dev.sharding.internal.sharder.activity.RingActivity;
import dev.sharding.internal.sharder.assignment.metadata.AssignmentMetrics;
import dev.sharding.internal.sharder.assignment.metadata.MetadataItem;
import dev.sharding.internal.sharder.assignment.metadata.ObjectReader;
import dev.sharding.internal.sharder.assignment.metadata.RingConnection;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject.ObjectId;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue.Priority;
import dev.sharding.internal.sharder.assignment.placement.Placement.Outcome;
import dev.sharding.internal.sharder.shardlease.ShardHold;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.resource.ObjectKey;
import dev.sharding.shard.WriteFencedException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the decision about one object. It decides at the moment of sending, by the
 * ring as it is then, so that nothing that waited in the queue is out of date; on a
 * conflict it looks again and decides anew. Threadsafe.
 */
public final class Placer {

	private static final Logger log = LoggerFactory.getLogger(Placer.class);

	private static final int MAX_CONFLICTS = 50;

	private static final int MAX_REFUSALS = 5;

	private static final long MAX_PAUSE_MILLIS = 2000;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	/*
	 * While the admission of some objects hangs, others are asked about for less long at
	 * first: nobody knows which ones hang, and each takes a slot until it has been found
	 * out.
	 */
	private static final Duration FIRST_TIMEOUT = Duration.ofSeconds(2);

	private static final long ADMISSION_HANGS_FOR = Duration.ofSeconds(30).toNanos();

	private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(15);

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	private final RingScope scope;

	private final ObjectReader reader;

	private final PatchQueue queue;

	private final EventLoop loop;

	private final Supplier<HashRing> ring;

	private final BooleanSupplier paused;

	private final AwayShards away;

	private final Drains drains;

	private final AssignmentMetrics metrics;

	private final RingActivity activity;

	private final AtomicInteger unanswered = new AtomicInteger();

	private final LongSupplier nanoTime;

	/* When a patch was found to hang though the API server answers. */
	private volatile @Nullable Long admissionHung;

	/* Those that hang: who asks for the same once more waits with them. */
	private final Map<ObjectId, Job> hanging = new ConcurrentHashMap<>();

	private final UnderWay underWay = new UnderWay();

	private final PutOffs putOffs;

	private final Runnable failed;

	/**
	 * @param paused whether objects stay with their available owners for now
	 * @param away the members that nobody holds
	 * @param failed called on the ring's thread when a controlled object has to be looked
	 * for again
	 */
	public Placer(RingConnection connection, RingScope scope, PatchQueue queue, EventLoop loop, Supplier<HashRing> ring,
			BooleanSupplier paused, AwayShards away, Drains drains, Runnable failed) {
		this.requests = connection.requests();
		this.serialization = connection.serialization();
		this.metrics = connection.metrics();
		this.activity = connection.activity();
		this.putOffs = new PutOffs(connection.nanoTime());
		this.nanoTime = connection.nanoTime();
		this.scope = scope;
		this.reader = new ObjectReader(scope.ring());
		this.queue = queue;
		this.loop = loop;
		this.ring = ring;
		this.paused = paused;
		this.away = away;
		this.drains = drains;
		this.failed = failed;
	}

	/**
	 * Decides about an object as of now.
	 * @param handOver how far the hand-over is; for a main object without owner,
	 * {@link HandOver#NONE} means that its controlled objects still have to be looked for
	 */
	public AssignmentDecision decide(ShardedObject object, HandOver handOver) {
		return decide(object, handOver, this.ring.get());
	}

	public AssignmentDecision decide(ShardedObject object, HandOver handOver, HashRing by) {
		HandOver known = handOver;
		if (handOver == HandOver.NONE && this.scope.hasControlled(object.resource())) {
			known = isOwned(object, by) ? HandOver.NONE : HandOver.CLAIM_ENDED;
		}
		AssignmentDecision decision = AssignmentDecision
			.of(new AssignmentFacts(object.labels(), this.scope.ring(), object.resource().role(), object.shardingKey(),
					by, known, this.paused.getAsBoolean(), this.away.names()));
		this.away.decided(decision);
		return decision;
	}

	/** The ring as it is now. */
	public HashRing ring() {
		return this.ring.get();
	}

	/** Tells whether an available shard has the object. */
	public boolean isOwned(ShardedObject object, HashRing by) {
		String shard = object.shard(this.scope.ring());
		return shard != null && by.shards().contains(shard);
	}

	/**
	 * Tells whether an available shard has a controlled object that belongs elsewhere.
	 */
	public boolean leavesAvailable(ShardedObject controlled) {
		HashRing current = this.ring.get();
		return isOwned(controlled, current)
				&& decide(controlled, HandOver.NONE, current) instanceof AssignmentDecision.Move;
	}

	/**
	 * Puts an object where it belongs, as soon as there is room.
	 * @param hold on the shard that the object leaves; without a valid one it leaves no
	 * shard, unless that is available
	 * @return what became of it; never fails
	 */
	public CompletableFuture<Placement> place(ShardedObject object, HandOver handOver, Priority priority,
			@Nullable ShardHold hold) {
		return place(new Job(object, handOver, priority, null, hold, false));
	}

	/** Gives a new main object its first shard, as soon as there is room. */
	public CompletableFuture<Placement> placeFirst(ShardedObject object) {
		return place(new Job(object, HandOver.CONTROLLED_OBJECTS_MOVED, Priority.URGENT, null, null, true));
	}

	/**
	 * Puts an object where it belongs, unless the ring changes before: then it is
	 * dropped, as other facts have to be asked for.
	 * @param onlyBy the ring that the facts were judged by
	 * @param hold on the shard that the object leaves
	 * @return what became of it; never fails
	 */
	public CompletableFuture<Placement> placeOnlyBy(HashRing onlyBy, ShardedObject object, HandOver handOver,
			Priority priority, @Nullable ShardHold hold) {
		return place(new Job(object, handOver, priority, onlyBy, hold, false));
	}

	/**
	 * Looks at a main object as it is now.
	 * @return settled, with the object; or gone, or failed; never fails
	 */
	public CompletableFuture<Placement> look(ShardedResource resource, ObjectKey key) {
		ShardedObject asked = new ShardedObject(resource, key, "", null, Map.of());
		return get(asked).handle((response, failure) -> {
			if (failure == null) {
				return Placement.of(Outcome.SETTLED, read(asked, response));
			}
			ApiException exception = ApiException.of(failure);
			return exception.isNotFound(key.name()) ? Placement.of(Outcome.GONE, asked)
					: new Placement(Outcome.FAILED, asked, exception);
		});
	}

	/**
	 * Looks at the main object of a controlled one as it is now.
	 * @return settled, with the main object; or gone, as it also is if no object of the
	 * ring has that key; or failed, as it also is if nobody knows; never fails
	 */
	public CompletableFuture<Placement> lookAtMain(ShardedObject controlled, ShardingKey main) {
		ShardedResource resource = this.scope.mainOf(main);
		if (resource == null) {
			return CompletableFuture.completedFuture(Placement
				.of(this.scope.unknownGroups().contains(main.group()) ? Outcome.FAILED : Outcome.GONE, controlled));
		}
		// What a cluster-scoped object controls in a namespace has a key of its own.
		boolean none = !resource.type().namespaced() && !main.namespace().isEmpty();
		return none ? CompletableFuture.completedFuture(Placement.of(Outcome.GONE, controlled))
				: look(resource, new ObjectKey(main.namespace(), main.name()));
	}

	/*
	 * Whether the shard that has a controlled object has its main object as well, or may
	 * have it: then it stays there until that lets go.
	 */
	private CompletableFuture<Boolean> isClaimed(ShardedObject controlled) {
		ShardingKey main = controlled.shardingKey();
		String shard = controlled.shard(this.scope.ring());
		if (main == null || shard == null) {
			return CompletableFuture.completedFuture(false);
		}
		return lookAtMain(controlled, main).thenApply((found) -> found.outcome() != Outcome.GONE
				&& (found.outcome() != Outcome.SETTLED || shard.equals(found.object().shard(this.scope.ring()))));
	}

	/** Forgets the objects that need not wait any more. */
	public void tidy() {
		this.putOffs.tidy();
	}

	/** How long nothing may be sent about an object. */
	public Duration putOff(ShardedObject object) {
		return this.putOffs.left(object.id());
	}

	/** Whether the admission of an object was found to hang, and it is still tried. */
	public boolean isHanging(ShardedObject object) {
		return this.hanging.containsKey(object.id());
	}

	/** The number of such objects. */
	public int hanging() {
		return this.hanging.size();
	}

	private CompletableFuture<Placement> place(Job job) {
		Job same = this.hanging.get(job.object.id());
		if (same != null) {
			return same.result.thenApply(Placer::sentBefore);
		}
		job.left = job.object.shard(this.scope.ring());
		attempt(job);
		return job.result;
	}

	/*
	 * The patch was sent for somebody else, perhaps before the claim ended that this
	 * caller asks about. So it does not prove that all is known that the shard made.
	 */
	private static Placement sentBefore(Placement placement) {
		boolean proves = placement.outcome() == Outcome.PATCHED && !placement.object().resource().isMain();
		return proves ? Placement.of(Outcome.SETTLED, placement.object()) : placement;
	}

	private void attempt(Job job) {
		// What hangs is made again and again, which must not fill the slots of others.
		Object lane = (job.hung > 0) ? new Suspects(job.object.resource()) : job.object.resource();
		this.queue.submit(job.priority, lane, () -> begin(job), () -> job.finish(Outcome.DROPPED));
	}

	/*
	 * Whatever goes wrong, the job ends: an object whose job does not is judged never
	 * more.
	 */
	private CompletableFuture<?> begin(Job job) {
		try {
			return send(job).whenComplete((done, failure) -> {
				if (failure != null) {
					fail(job, ApiException.of(failure));
				}
			});
		}
		catch (RuntimeException ex) {
			fail(job, ApiException.of(ex));
			return CompletableFuture.completedFuture(null);
		}
	}

	private CompletableFuture<?> send(Job job) {
		// Before the ring is read: who has a newer one sees this job, or this job that.
		if (!job.object.resource().isMain() && job.object.shardingKey() != null) {
			this.underWay.add(job.object.shardingKey(), job.result);
		}
		job.begun = this.nanoTime.getAsLong();
		if (this.scope.namespaces().leavesOut(job.object.key().namespace())) {
			// It has left the ring while this waited, and its labels are being taken off.
			job.finish(Outcome.SETTLED);
			return CompletableFuture.completedFuture(null);
		}
		HashRing current = this.ring.get();
		if (job.onlyBy != null && job.onlyBy != current) {
			if (job.unsure) {
				return lookAgain(job);
			}
			job.finish(Outcome.DROPPED);
			return CompletableFuture.completedFuture(null);
		}
		AssignmentDecision due = decide(job.object, job.handOver, current);
		LabelPatch wanted = patch(due, job.object, job.first);
		// What nobody answered may arrive at any time, unless it is sent again.
		Sent sending = (wanted != null) ? new Sent(due, wanted) : job.unanswered();
		if (sending == null) {
			job.finish(Outcome.SETTLED);
			return CompletableFuture.completedFuture(null);
		}
		job.sent = sending;
		AssignmentDecision decision = sending.decision;
		if (decision instanceof AssignmentDecision.Move && !mayLeave(job, current)) {
			job.finish(Outcome.UNHELD);
			return CompletableFuture.completedFuture(null);
		}
		if (decision instanceof AssignmentDecision.Drain) {
			this.drains.asking(Objects.requireNonNull(job.object.shardingKey()),
					String.valueOf(job.object.shard(this.scope.ring())));
		}
		if (!putOff(job.object).isZero()) {
			finishPutOff(job);
			return CompletableFuture.completedFuture(null);
		}
		ApiRequest request = ApiRequest
			.of("PATCH", job.object.resource().type().path(job.object.key()), LabelPatch.CONTENT_TYPE,
					sending.patch.toJson())
			.accept(MediaTypes.METADATA)
			.timeout(timeout(job));
		CompletableFuture<ApiResponse> sent = (decision instanceof AssignmentDecision.Move)
				? this.requests.send(request, () -> requireLeave(job, current)) : this.requests.send(request);
		return sent.handle((response, failure) -> {
			if (failure == null) {
				patched(job, decision, response);
				return CompletableFuture.completedFuture(null);
			}
			return refused(job, ApiException.of(failure));
		}).thenCompose((rest) -> rest);
	}

	/** What was sent about controlled objects, perhaps by an earlier ring. */
	public UnderWay underWay() {
		return this.underWay;
	}

	private Duration timeout(Job job) {
		Long hung = this.admissionHung;
		boolean suspicious = hung != null && this.nanoTime.getAsLong() - hung < ADMISSION_HANGS_FOR;
		return (suspicious && job.hung == 0) ? FIRST_TIMEOUT : TIMEOUT;
	}

	/* The way to the connection may be long, or this process may be paused on it. */
	private void requireLeave(Job job, HashRing current) {
		if (!mayLeave(job, current)) {
			throw new HoldEndedException(job.object, String.valueOf(job.object.shard(this.scope.ring())));
		}
	}

	/*
	 * The owner of a controlled object gave up its main object, or never had it; who has
	 * got the controlled object since may have got the main object as well. Any other
	 * owner may come back unless its Lease is held, right now.
	 */
	private boolean mayLeave(Job job, HashRing current) {
		String from = job.object.shard(this.scope.ring());
		if (from == null) {
			return true;
		}
		if (job.hold != null && from.equals(job.hold.shard())) {
			// Also where it is available again: it has not given up anything.
			return job.hold.isValid();
		}
		return current.shards().contains(from) && from.equals(job.left);
	}

	private @Nullable LabelPatch patch(AssignmentDecision decision, ShardedObject object, boolean first) {
		String ring = this.scope.ring();
		String version = object.resourceVersion();
		if (decision instanceof AssignmentDecision.Assign assign && first) {
			return LabelPatch.assignFirst(ring, assign.shard(), version);
		}
		String to = (decision instanceof AssignmentDecision.Assign assign) ? assign.shard()
				: (decision instanceof AssignmentDecision.Move move) ? move.shard() : null;
		if (to != null) {
			return LabelPatch.assign(ring, to, version).unmarking(ring, object.labels());
		}
		return (decision instanceof AssignmentDecision.Drain) ? LabelPatch.drain(ring, version) : null;
	}

	private void patched(Job job, AssignmentDecision decision, ApiResponse response) {
		this.unanswered.set(0);
		this.metrics.patched(job.object.resource(), decision);
		log.debug("Patched object ring={} resource={} object={} decision={}", this.scope.ring(), job.object.resource(),
				job.object.key(), decision);
		ShardedObject before = job.object;
		job.object = read(before, response);
		tell(decision, before, job.object);
		job.finish(Outcome.PATCHED);
	}

	private void tell(AssignmentDecision decision, ShardedObject before, ShardedObject now) {
		Action.Kind kind = (decision instanceof AssignmentDecision.Drain) ? Action.Kind.ASKED
				: (decision instanceof AssignmentDecision.Move) ? Action.Kind.MOVED : Action.Kind.ASSIGNED;
		String from = before.shard(this.scope.ring());
		String to = (kind != Action.Kind.ASKED) ? now.shard(this.scope.ring()) : null;
		if (now.resource().isMain()) {
			this.activity.done(kind, now.ref(), from, to, now.resourceVersion());
		}
		else {
			this.activity.changed(now.resource().toString(), from, to, now.resourceVersion());
		}
	}

	private ShardedObject read(ShardedObject before, ApiResponse response) {
		MetadataItem item = this.serialization.unmarshal(response.stream(), MetadataItem.class);
		ShardedObject object = this.reader.read(before.resource(), item);
		return (object != null) ? object : before;
	}

	private CompletableFuture<?> refused(Job job, ApiException failure) {
		job.unsure |= !failure.isAnswered() || failure.status() >= 500;
		Duration asked = failure.retryAfter();
		if (failure.getCause() instanceof HoldEndedException) {
			job.finish(Outcome.UNHELD);
		}
		else if (WriteFencedException.isIn(failure)) {
			// The term is over, or a renewal is late: the next pass looks anew.
			job.result.complete(new Placement(Outcome.FAILED, job.object, failure));
		}
		else if (hangs(job, failure)) {
			return lookWhetherItHangsAlone(job, failure);
		}
		else if (!failure.isAnswered() || failure.isOverload()) {
			pause(failure);
			attempt(job);
		}
		else if (asked != null && !asked.isZero()) {
			putOff(job, failure, asked);
		}
		else if (failure.isNotFound(job.object.key().name())) {
			job.finish(Outcome.GONE);
		}
		else if (failure.status() == 409 && !failure.isDenied() && ++job.conflicts < MAX_CONFLICTS) {
			this.metrics.conflict(job.object.resource());
			return lookAgain(job);
		}
		else if ((failure.status() >= 500 || failure.status() == 403 || failure.status() == 429
				|| (failure.status() == 409 && failure.isDenied())) && ++job.refusals < MAX_REFUSALS) {
			// An API server that has just started does not know all rights yet.
			this.loop.schedule(() -> attempt(job), Duration.ofMillis(100L << job.refusals));
		}
		else {
			fail(job, failure);
		}
		return CompletableFuture.completedFuture(null);
	}

	private boolean hangs(Job job, ApiException failure) {
		return !failure.isAnswered() && this.nanoTime.getAsLong() - job.begun >= PatchLanes.HANGS.toNanos();
	}

	/*
	 * If the API server answers when it is asked for the object, it is the admission that
	 * hangs, and others need not be paused.
	 */
	private CompletableFuture<?> lookWhetherItHangsAlone(Job job, ApiException failure) {
		return get(job.object).handle((response, unanswered) -> {
			if (unanswered == null) {
				hung(job, read(job.object, response));
				return CompletableFuture.completedFuture(null);
			}
			ApiException reason = ApiException.of(unanswered);
			if (reason.isAnswered() && !reason.isOverload()) {
				return refused(job, reason);
			}
			pause(failure);
			attempt(job);
			return CompletableFuture.completedFuture(null);
		}).thenCompose((rest) -> rest);
	}

	/* The patch may take effect all the same, so it stays unsure. */
	private void hung(Job job, ShardedObject now) {
		this.admissionHung = this.nanoTime.getAsLong();
		if (job.hung++ == 0) {
			this.hanging.put(job.object.id(), job);
			job.result.whenComplete((done, never) -> this.hanging.remove(job.object.id(), job));
		}
		Duration backoff = Duration.ofSeconds(1L << Math.min(job.hung - 1, 10));
		this.loop.schedule(() -> lookedAgain(job, now),
				(backoff.compareTo(LONGEST_BACKOFF) < 0) ? backoff : LONGEST_BACKOFF);
	}

	/*
	 * It is about this object alone, such as when a webhook denies the patch for now.
	 * Others do not wait for it, unless it is soon. What is one too many fails, so that a
	 * later pass finds it: that comes less and less often while patches fail.
	 */
	private void putOff(Job job, ApiException failure, Duration asked) {
		log.debug("Told to wait ring={} millis={} reason=\"{}\"", this.scope.ring(), asked.toMillis(),
				failure.getMessage());
		boolean kept = this.putOffs.add(job.object.id(), asked);
		if (asked.toMillis() <= MAX_PAUSE_MILLIS && ++job.refusals < MAX_REFUSALS) {
			this.loop.schedule(() -> attempt(job), asked);
		}
		else if (kept) {
			finishPutOff(job);
		}
		else {
			fail(job, failure);
			findAgain(job);
		}
	}

	private void finishPutOff(Job job) {
		job.finish(Outcome.PUT_OFF);
		findAgain(job);
	}

	private void findAgain(Job job) {
		// A main object is judged again by who asked to place it.
		if (!job.object.resource().isMain()) {
			this.loop.execute(this.failed);
		}
	}

	private CompletableFuture<?> lookAgain(Job job) {
		return get(job.object).handle((response, failure) -> {
			if (failure != null) {
				return refused(job, ApiException.of(failure));
			}
			job.unsure = false;
			return lookedAgain(job, read(job.object, response));
		}).thenCompose((rest) -> rest);
	}

	/*
	 * With another main object, others have to say when it may move. And both may be new
	 * ones, of the same names, that their owner is at work on.
	 */
	private CompletableFuture<?> lookedAgain(Job job, ShardedObject now) {
		boolean same = Objects.equals(now.shardingKey(), job.object.shardingKey());
		job.object = now;
		if (!same) {
			job.finish(Outcome.DROPPED);
		}
		else if (job.first && now.shard(this.scope.ring()) != null) {
			// It has got its first owner, and what that made has to move before it.
			job.finish(Outcome.SETTLED);
		}
		else if (!now.resource().isMain() && leavesAvailable(now)) {
			return isClaimed(now).thenAccept((claimed) -> {
				if (claimed) {
					job.finish(Outcome.UNHELD);
				}
				else {
					attempt(job);
				}
			});
		}
		else {
			attempt(job);
		}
		return CompletableFuture.completedFuture(null);
	}

	private CompletableFuture<ApiResponse> get(ShardedObject object) {
		return this.requests.send(ApiRequest.of("GET", object.resource().type().path(object.key()))
			.accept(MediaTypes.METADATA)
			.timeout(TIMEOUT));
	}

	/* The API server is away or overloaded: one pause for all, growing while it lasts. */
	private void pause(ApiException failure) {
		this.queue.pause();
		int times = Math.min(this.unanswered.getAndIncrement(), 1000);
		Duration asked = failure.retryAfter();
		long millis = (asked != null) ? Math.min(asked.toMillis(), 5 * MAX_PAUSE_MILLIS)
				: Math.min(50L << Math.min(times / 100, 6), MAX_PAUSE_MILLIS);
		this.loop.schedule(this.queue::resume, Duration.ofMillis(millis));
	}

	private void fail(Job job, ApiException failure) {
		log.warn("{} ring={}", failure.getMessage(), this.scope.ring());
		if (job.object.shardingKey() != null && job.object.resource().isMain()) {
			this.drains.failed(job.object.shardingKey());
		}
		job.result.complete(new Placement(Outcome.FAILED, job.object, failure));
	}

	/**
	 * What hung, of one resource.
	 */
	private record Suspects(ShardedResource resource) {
	}

	/**
	 * A patch, and what was decided.
	 */
	private record Sent(AssignmentDecision decision, LabelPatch patch) {
	}

	/**
	 * One object on its way. It is handed from request to request, so one thread at a
	 * time changes it.
	 */
	private static final class Job {

		private final CompletableFuture<Placement> result = new CompletableFuture<>();

		private final HandOver handOver;

		private final Priority priority;

		private final @Nullable HashRing onlyBy;

		private final @Nullable ShardHold hold;

		private final boolean first;

		private volatile ShardedObject object;

		/* Whose it was when it was decided that it has to leave. */
		private @Nullable String left;

		/* A patch may have taken effect since it was seen, by the ring as it was then. */
		private boolean unsure;

		private @Nullable Sent sent;

		/* When the queue let it go. */
		private volatile long begun;

		/* How often it was found to hang. */
		private int hung;

		private int conflicts;

		private int refusals;

		private Job(ShardedObject object, HandOver handOver, Priority priority, @Nullable HashRing onlyBy,
				@Nullable ShardHold hold, boolean first) {
			this.object = object;
			this.handOver = handOver;
			this.priority = priority;
			this.onlyBy = onlyBy;
			this.hold = hold;
			this.first = first;
		}

		/*
		 * What was sent for a controlled object as it is, as far as is known: its main
		 * object must not follow before that is certain. A shard that comes back to a
		 * main object touches it.
		 */
		private @Nullable Sent unanswered() {
			Sent last = this.sent;
			boolean open = this.unsure && last != null && !this.object.resource().isMain()
					&& last.patch.resourceVersion().equals(this.object.resourceVersion());
			return open ? last : null;
		}

		private void finish(Outcome outcome) {
			this.result.complete(Placement.of(outcome, this.object));
		}

	}

}
