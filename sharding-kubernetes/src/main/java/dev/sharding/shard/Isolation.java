package dev.sharding.shard;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.informer.InformerStatus;

/**
 * Keeps a group from becoming a black hole: one that holds its Lease but does not see its
 * objects is taken for available, and nobody reconciles what it gets. So it gives the
 * Lease back when an informer of what it reconciles has failed for too long, and joins
 * again when all of these have recovered. What else it reads takes nothing down but the
 * reads of it. Used on the group's loop only.
 */
final class Isolation {

	/** How often to look while something fails. */
	static final Duration PACE = Duration.ofMillis(250);

	private final InformerCaches caches;

	private final ControllerSet controllers;

	private final LeaseSupply lease;

	private final RuntimeOptions options;

	private final Runnable released;

	private @Nullable CompletableFuture<?> givenBack;

	private long giveBackUntil;

	/**
	 * Creates an isolation that has not begun.
	 * @param caches tell whether the group sees its objects
	 * @param controllers tell whether reconciles run
	 * @param lease is given back
	 * @param options for how long to wait
	 * @param released runs when the Lease is given back, on any thread
	 */
	Isolation(InformerCaches caches, ControllerSet controllers, LeaseSupply lease, RuntimeOptions options,
			Runnable released) {
		this.caches = caches;
		this.controllers = controllers;
		this.lease = lease;
		this.options = options;
		this.released = released;
	}

	/**
	 * Why the group must be isolated.
	 * @param reconciling whether it does its work as far as it sees it
	 * @return the reason, or {@code null} if it sees its objects, or not for long enough
	 */
	@Nullable String reason(boolean reconciling) {
		return blind(this.caches.neededStatuses(), this.options.giveUpAfter(), reconciling);
	}

	/**
	 * For how long no reason can arise, {@code null} for ever.
	 */
	@Nullable Duration untilDue() {
		return untilDue(this.caches.neededStatuses(), this.options.giveUpAfter());
	}

	/** The group no longer begins reconciles, those that run are interrupted. */
	void begin() {
		this.givenBack = null;
		this.giveBackUntil = nanos() + this.options.stopTimeout().toNanos();
	}

	/**
	 * Gives the Lease back once the last reconcile has ended. If one does not end in
	 * time, the Lease is left to run out.
	 * @return whether the Lease is given back and the group may try to get it again
	 */
	boolean isOver() {
		if (this.givenBack == null) {
			if (this.controllers.active() == 0) {
				this.givenBack = this.lease.release().whenComplete((done, failure) -> this.released.run());
			}
			else if (nanos() - this.giveBackUntil > 0) {
				this.lease.abandon();
				this.released.run();
				this.givenBack = CompletableFuture.completedFuture(null);
			}
			return false;
		}
		return this.givenBack.isDone() && seesAll(this.caches.neededStatuses());
	}

	/*
	 * That a resource is not there, or that nobody may read it, is so for the other
	 * shards as well: with all of them isolated nothing would be reconciled any more.
	 * Only one that waits for the resource before it begins has nothing to lose.
	 */
	static @Nullable String blind(Map<String, InformerStatus> informers, Duration patience, boolean reconciling) {
		if (patience.isZero()) {
			return null;
		}
		for (Map.Entry<String, InformerStatus> informer : informers.entrySet()) {
			InformerStatus status = informer.getValue();
			boolean borne = reconciling && status.refused();
			if (status.failingSince() != null && !borne && status.failingFor().compareTo(patience) >= 0) {
				return "informer of %s failing since %s: %s".formatted(informer.getKey(), status.failingSince(),
						status.lastError());
			}
		}
		return null;
	}

	/*
	 * Who begins to fail later is due later than in the whole patience. Who fails already
	 * may come to fail in another way, which is not borne.
	 */
	static @Nullable Duration untilDue(Map<String, InformerStatus> informers, Duration patience) {
		if (patience.isZero()) {
			return null;
		}
		boolean failing = informers.values().stream().anyMatch((status) -> status.failingSince() != null);
		return (failing && patience.compareTo(PACE) > 0) ? PACE : patience;
	}

	static boolean seesAll(Map<String, InformerStatus> informers) {
		return informers.values().stream().allMatch((status) -> status.synced() && status.failingSince() == null);
	}

	private long nanos() {
		return this.options.clock().nanos().getAsLong();
	}

}
