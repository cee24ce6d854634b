package dev.sharding.kubernetes;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.cache.InformerCaches;
import dev.sharding.kubernetes.informer.InformerStatus;

/**
 * Keeps a group from becoming a black hole: one that holds its Lease but does not see its
 * objects is taken for available, and nobody reconciles what it gets. So it gives the
 * Lease back when an informer has failed for too long, and joins again when all have
 * recovered. Used on the group's loop only.
 */
final class Isolation {

	private final InformerCaches caches;

	private final ControllerSet controllers;

	private final LeaseSupply lease;

	private final RuntimeOptions options;

	private @Nullable CompletableFuture<?> givenBack;

	private long giveBackUntil;

	Isolation(InformerCaches caches, ControllerSet controllers, LeaseSupply lease, RuntimeOptions options) {
		this.caches = caches;
		this.controllers = controllers;
		this.lease = lease;
		this.options = options;
	}

	/**
	 * Why the group must be isolated.
	 * @return the reason, or {@code null} if it sees its objects, or not for long enough
	 */
	@Nullable String reason() {
		Instant now = this.options.clock().wall().instant();
		return blind(this.caches.statuses(), this.options.giveUpAfter(), now);
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
				this.givenBack = this.lease.holder().release();
			}
			else if (nanos() - this.giveBackUntil > 0) {
				this.lease.abandon();
				this.givenBack = CompletableFuture.completedFuture(null);
			}
			return false;
		}
		return this.givenBack.isDone() && seesAll(this.caches.statuses());
	}

	static @Nullable String blind(Map<String, InformerStatus> informers, Duration patience, Instant now) {
		if (patience.isZero()) {
			return null;
		}
		for (Map.Entry<String, InformerStatus> informer : informers.entrySet()) {
			Instant since = informer.getValue().failingSince();
			if (since != null && !since.plus(patience).isAfter(now)) {
				return "informer of %s failing since %s: %s".formatted(informer.getKey(), since,
						informer.getValue().lastError());
			}
		}
		return null;
	}

	static boolean seesAll(Map<String, InformerStatus> informers) {
		return informers.values().stream().allMatch((status) -> status.synced() && status.failingSince() == null);
	}

	private long nanos() {
		return this.options.clock().nanos().getAsLong();
	}

}
