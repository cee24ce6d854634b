package dev.sharding.internal.kubernetes.reconcile;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.core.assignment.Newness;
import dev.sharding.resource.ObjectKey;

/**
 * Knows which objects came to the shard so lately that the caches may lack what their
 * previous owner made for them, and brings the caches up to date before the first
 * reconcile of such an object. One that provably had no previous owner needs no more than
 * the proof. Safe for use by many threads.
 */
final class TakeOver {

	private final Supplier<CompletableFuture<Void>> refresh;

	private final BiFunction<ObjectKey, Newness.Arrival, CompletableFuture<Boolean>> isNew;

	private final Map<ObjectKey, Arrival> arrivals = new ConcurrentHashMap<>();

	/** Not before the first term: what the first lists find is none of our business. */
	private volatile boolean counting;

	/**
	 * Creates a register without arrivals.
	 * @param refresh completes when the caches hold a state that was read after the call
	 * @param isNew finds out whether nobody can have owned an object before it came; does
	 * not fail
	 */
	TakeOver(Supplier<CompletableFuture<Void>> refresh,
			BiFunction<ObjectKey, Newness.Arrival, CompletableFuture<Boolean>> isNew) {
		this.refresh = refresh;
		this.isNew = isNew;
	}

	/**
	 * Something is about to happen to the main objects. To be told before anybody can
	 * read it, or a worker that comes for another reason would take what arrives for
	 * settled; quick, as it is called under the lock of the store. After a relist, an
	 * object that has changed may have been with another shard meanwhile.
	 */
	void comes(InformerEvent<?> event) {
		if (event instanceof InformerEvent.Added<?> added) {
			arrived(ObjectKey.of(added.object()), first(added.object().getMetadata()));
		}
		else if (event instanceof InformerEvent.Updated<?> updated && updated.relist()) {
			arrived(ObjectKey.of(updated.after()), null);
		}
	}

	private static Newness.@Nullable Arrival first(ObjectMeta metadata) {
		return (metadata.getUid() != null && metadata.getResourceVersion() != null && metadata.getLabels() != null)
				? new Newness.Arrival(metadata.getUid(), metadata.getResourceVersion(), metadata.getLabels()) : null;
	}

	/**
	 * An object came.
	 * @param first how it came, if it may be new
	 */
	void arrived(ObjectKey key, Newness.@Nullable Arrival first) {
		if (this.counting) {
			this.arrivals.put(key, new Arrival(first));
		}
	}

	/** An object went. */
	void left(ObjectKey key) {
		this.arrivals.remove(key);
	}

	/** All caches are about to be made consistent, for all objects that are there now. */
	void forget() {
		this.counting = true;
		this.arrivals.clear();
	}

	/**
	 * Whether the caches are up to date for an object. If they are not, they will be.
	 * @param key the object
	 * @param again is run when it is worth another look, unless that was asked for before
	 * @return whether it may be reconciled now
	 */
	boolean isSettled(ObjectKey key, Runnable again) {
		Arrival arrival = this.arrivals.get(key);
		if (arrival == null) {
			return true;
		}
		if (arrival.asked.compareAndSet(false, true)) {
			prepare(key, arrival).whenComplete((done, failure) -> {
				if (failure == null) {
					this.arrivals.remove(key, arrival);
				}
				else {
					arrival.asked.set(false);
				}
				again.run();
			});
		}
		return false;
	}

	private CompletableFuture<Void> prepare(ObjectKey key, Arrival arrival) {
		Newness.Arrival first = arrival.first;
		try {
			return (first == null) ? this.refresh.get() : this.isNew.apply(key, first)
				.thenCompose((proven) -> proven ? CompletableFuture.completedFuture(null) : this.refresh.get());
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	int pending() {
		return this.arrivals.size();
	}

	private static final class Arrival {

		private final AtomicBoolean asked = new AtomicBoolean();

		private final Newness.@Nullable Arrival first;

		private Arrival(Newness.@Nullable Arrival first) {
			this.first = first;
		}

	}

}
