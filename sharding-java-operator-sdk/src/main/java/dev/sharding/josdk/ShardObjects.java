package dev.sharding.josdk;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.cache.CacheNotFilledException;
import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.kubernetes.fence.Claim;
import dev.sharding.internal.kubernetes.fence.ClaimScope;
import dev.sharding.internal.kubernetes.handover.DrainPauses;
import dev.sharding.protocol.Responsibility;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.Shard;

/**
 * The main objects of the shard as it follows them itself, by their metadata: whose they
 * are does not hang on the filters and caches of the operator. An object whose drain is
 * wanted is let go of as soon as no reconcile of it runs, and none begins meanwhile. Safe
 * for use by many threads.
 */
final class ShardObjects {

	private static final Logger logger = LoggerFactory.getLogger(ShardObjects.class);

	private static final int THREADS = 4;

	private static final Duration CONFLICT_PAUSE = Duration.ofMillis(100);

	/** How much later than the operator we may hear of a new object. */
	private static final Duration ARRIVAL = Duration.ofMillis(500);

	private final Shard shard;

	private final ObjectTurns turns;

	private final Map<GroupResource, Followed> followed = new LinkedHashMap<>();

	private final Arrivals arrivals = new Arrivals();

	private volatile @Nullable ScheduledExecutorService threads;

	ShardObjects(Shard shard, ObjectTurns turns) {
		this.shard = shard;
		this.turns = turns;
	}

	/**
	 * Follows a main resource, from before the shard starts.
	 * @param type the resource
	 */
	void follow(ResourceType<?> type) {
		if (!this.followed.containsKey(type.groupResource())) {
			ResourceType<PartialObjectMetadata> metadata = type.metadata();
			ResourceCache<PartialObjectMetadata> cache = this.shard.follow(metadata, (event) -> heard(type, event));
			this.followed.put(type.groupResource(), new Followed(type, cache));
		}
	}

	/** The main resources. */
	Iterable<ResourceType<?>> types() {
		return this.followed.values().stream().<ResourceType<?>>map(Followed::type).toList();
	}

	/**
	 * A term begins: drains are acknowledged from now on, also those asked for before.
	 */
	void begin() {
		this.threads = Executors.newScheduledThreadPool(THREADS, (task) -> {
			Thread thread = new Thread(task, "sharding-drains");
			thread.setDaemon(true);
			return thread;
		});
		this.followed.values()
			.forEach((each) -> each.cache().list().forEach((object) -> letGoIfAsked(each.type(), object)));
	}

	/**
	 * The term ends: no reconcile begins any more, and what is sent after it the fence
	 * refuses.
	 */
	void end() {
		ScheduledExecutorService running = this.threads;
		this.threads = null;
		if (running != null) {
			running.shutdown();
		}
	}

	/**
	 * Waits for the reconciles that run.
	 * @return whether none runs
	 */
	boolean awaitIdle(Duration patience) throws InterruptedException {
		return this.turns.awaitIdle(patience);
	}

	private void heard(ResourceType<?> type, InformerEvent<PartialObjectMetadata> event) {
		if (event instanceof InformerEvent.Added<PartialObjectMetadata> added) {
			this.arrivals.add();
			letGoIfAsked(type, added.object());
		}
		else if (event instanceof InformerEvent.Updated<PartialObjectMetadata> updated) {
			letGoIfAsked(type, updated.after());
		}
	}

	private void letGoIfAsked(ResourceType<?> type, PartialObjectMetadata object) {
		if (this.threads != null && responsibility(object) == Responsibility.ACKNOWLEDGE_DRAIN) {
			want(new ObjectTurns.Id(type.groupResource(), ObjectKey.of(object)));
		}
	}

	private void want(ObjectTurns.Id id) {
		if (this.turns.want(id)) {
			letGo(id, Duration.ZERO, 0);
		}
	}

	private Responsibility responsibility(HasMetadata object) {
		return Responsibility.of(object.getMetadata().getLabels(), this.shard.ring(), this.shard.name());
	}

	/**
	 * Begins a reconcile on this thread.
	 * @param object the object as the operator has it
	 * @return the reconcile, which the thread must close
	 */
	Reconcile begin(HasMetadata object) {
		ResourceType<?> type = type(object);
		if (type == null) {
			return new Reconcile(null, null, null);
		}
		ObjectTurns.Id id = new ObjectTurns.Id(type.groupResource(), ObjectKey.of(object));
		if (!this.turns.begin(id)) {
			return heldBack(null, id);
		}
		try {
			// It is counted by now: the end of the term waits for it, or it sees that the
			// term has ended.
			Claim claim = (this.threads != null) ? claim(type, id.key()) : null;
			return (claim != null) ? new Reconcile(id, claim, ClaimScope.reconciling(claim)) : heldBack(id, id);
		}
		catch (RuntimeException ex) {
			// The slot is lost, or no cache has the namespace of the object. Thrown from
			// here, the SDK would take the object for one that is under work, for ever.
			logger.warn("Not reconciling now resource={} key={} reason=\"{}\"", id.resource(), id.key(),
					ex.getMessage());
			new Reconcile(id, null, null).close();
			return heldBack(null, id);
		}
	}

	/*
	 * What the SDK sends by itself on this thread, such as a finalizer, is refused, for
	 * nobody waits for its answer before the object changes hands.
	 */
	private Reconcile heldBack(ObjectTurns.@Nullable Id turn, ObjectTurns.Id id) {
		return new Reconcile(turn, null, ClaimScope.reconciling(Claim.none(id.resource(), id.key())));
	}

	private @Nullable ResourceType<?> type(HasMetadata object) {
		for (Followed each : this.followed.values()) {
			if (each.type().javaType().isInstance(object)) {
				return each.type();
			}
		}
		// Another controller reads the same objects as another class.
		Followed same = this.followed.get(ResourceType.of(object.getClass()).groupResource());
		return (same != null) ? same.type() : null;
	}

	/* The operator may hear of an object a little sooner than we do. */
	private @Nullable Claim claim(ResourceType<?> type, ObjectKey key) {
		long deadline = System.nanoTime() + ARRIVAL.toNanos();
		while (true) {
			long seen = this.arrivals.count();
			PartialObjectMetadata known = known(type.groupResource(), key);
			if (known != null) {
				return (responsibility(known) == Responsibility.RECONCILE) ? this.shard.claim(type, key) : null;
			}
			long left = deadline - System.nanoTime();
			if (left <= 0 || this.threads == null || !this.arrivals.await(seen, left)) {
				return null;
			}
		}
	}

	private @Nullable PartialObjectMetadata known(GroupResource resource, ObjectKey key) {
		Followed found = this.followed.get(resource);
		return (found != null) ? found.cache().get(key.namespace(), key.name()).orElse(null) : null;
	}

	private void letGo(ObjectTurns.Id id, Duration pause, int failures) {
		ScheduledExecutorService running = this.threads;
		try {
			if (running != null) {
				running.schedule(() -> letGo(id, failures), pause.toMillis(), TimeUnit.MILLISECONDS);
				return;
			}
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Not acknowledging a drain after the term", ex);
		}
		letGoLater(id);
	}

	private void letGo(ObjectTurns.Id id, int failures) {
		Duration again = attempt(id, failures + 1);
		boolean wantedMeanwhile = this.turns.letGoEnded(id);
		if (again == null && wantedMeanwhile) {
			letGo(id, Duration.ZERO, 0);
		}
		else if (again != null && (wantedMeanwhile || this.turns.want(id))) {
			letGo(id, again, failures + 1);
		}
	}

	/* Returns after which pause to try again. */
	private @Nullable Duration attempt(ObjectTurns.Id id, int failures) {
		try {
			PartialObjectMetadata known = known(id.resource(), id.key());
			Followed found = this.followed.get(id.resource());
			if (known == null || found == null || responsibility(known) != Responsibility.ACKNOWLEDGE_DRAIN) {
				return null;
			}
			return this.shard.drains().acknowledge(found.type().metadata(), known) ? null : CONFLICT_PAUSE;
		}
		catch (CacheNotFilledException ex) {
			// The slot is lost. Whatever is served next looks at all objects.
			return null;
		}
		catch (RuntimeException ex) {
			if (DrainPauses.isPassing(ex)) {
				logger.debug("Failed to acknowledge a drain, trying again resource={} key={} reason=\"{}\"",
						id.resource(), id.key(), ex.getMessage());
			}
			else {
				logger.warn("Failed to acknowledge a drain, trying again resource={} key={} failures={}", id.resource(),
						id.key(), failures, ex);
			}
			return DrainPauses.after(ex, failures, ThreadLocalRandom.current().nextDouble());
		}
		catch (Error ex) {
			// Nobody else would hear of it, and the object would wait for ever.
			logger.error("Failed to acknowledge a drain, trying again resource={} key={} failures={}", id.resource(),
					id.key(), failures, ex);
			return DrainPauses.after(new IllegalStateException(ex), failures, ThreadLocalRandom.current().nextDouble());
		}
	}

	/* The next term looks at all objects. */
	private void letGoLater(ObjectTurns.Id id) {
		if (this.turns.letGoEnded(id)) {
			// Whoever wanted it meanwhile may be the next term already.
			letGo(id, Duration.ZERO, 0);
		}
	}

	/** Counts objects that have come, for those who wait for one. */
	private static final class Arrivals {

		private long count;

		synchronized void add() {
			this.count++;
			notifyAll();
		}

		synchronized long count() {
			return this.count;
		}

		/* Returns at the next arrival, or after a while, or false if interrupted. */
		synchronized boolean await(long seen, long nanos) {
			try {
				if (this.count == seen) {
					TimeUnit.NANOSECONDS.timedWait(this, nanos);
				}
				return true;
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return false;
			}
		}

	}

	/**
	 * A main resource that is followed.
	 *
	 * @param type the resource, as the operator reads it
	 * @param cache the metadata of its objects that are ours
	 */
	private record Followed(ResourceType<?> type, ResourceCache<PartialObjectMetadata> cache) {
	}

	/**
	 * A reconcile on the thread that opened it.
	 */
	final class Reconcile implements AutoCloseable {

		private final ObjectTurns.@Nullable Id id;

		private final @Nullable Claim claim;

		private final @Nullable ClaimScope scope;

		private Reconcile(ObjectTurns.@Nullable Id id, @Nullable Claim claim, @Nullable ClaimScope scope) {
			this.id = id;
			this.claim = claim;
			this.scope = scope;
		}

		/** Whether the object is ours, and not to be let go of. */
		boolean mayAct() {
			return this.claim != null;
		}

		@Override
		public void close() {
			if (this.scope != null) {
				this.scope.close();
			}
			if (this.id != null && ShardObjects.this.turns.end(this.id)) {
				letGo(this.id, Duration.ZERO, 0);
			}
		}

	}

}
