package dev.sharding.kubernetes.reconcile;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import dev.sharding.kubernetes.resource.ObjectKey;

/**
 * Knows which objects came to the shard so lately that the caches may lack what their
 * previous owner made for them, and brings the caches up to date before the first
 * reconcile of such an object. Safe for use by many threads.
 */
final class TakeOver {

	private final Supplier<CompletableFuture<Void>> refresh;

	private final Map<ObjectKey, Arrival> arrivals = new ConcurrentHashMap<>();

	/** Not before the first term: what the first lists find is none of our business. */
	private volatile boolean counting;

	/**
	 * Creates a register without arrivals.
	 * @param refresh completes when the caches hold a state that was read after the call
	 */
	TakeOver(Supplier<CompletableFuture<Void>> refresh) {
		this.refresh = refresh;
	}

	/** An object came; quick, as it is called under the lock of its store. */
	void arrived(ObjectKey key) {
		if (this.counting) {
			this.arrivals.put(key, new Arrival());
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
			this.refresh.get().whenComplete((done, failure) -> {
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

	int pending() {
		return this.arrivals.size();
	}

	private static final class Arrival {

		private final AtomicBoolean asked = new AtomicBoolean();

	}

}
