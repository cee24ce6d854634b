package dev.sharding.internal.kubernetes.slot;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.informer.InformerStatus;

/**
 * Fills the caches of a shard with what bears the label of a slot: once its Lease is
 * held, or before that if its holder has begun to stop. Safe for use by many threads.
 */
public final class Filling {

	private static final Logger logger = LoggerFactory.getLogger(Filling.class);

	/** How long a list may bring nothing. */
	static final Duration PATIENCE = Duration.ofSeconds(10);

	private final InformerCaches caches;

	private final Runnable connect;

	private final Runnable disconnect;

	private final LongSupplier nanos;

	private long received;

	private long progressAt;

	/**
	 * Creates it.
	 * @param caches the caches of the shard
	 * @param connect has everybody follow the informers of the caches anew
	 * @param disconnect has nobody keep what was in the caches
	 * @param nanos the monotonic clock
	 */
	public Filling(InformerCaches caches, Runnable connect, Runnable disconnect, LongSupplier nanos) {
		this.disconnect = disconnect;
		this.caches = caches;
		this.connect = connect;
		this.nanos = nanos;
	}

	/**
	 * Fills the caches ahead, for nobody to read yet.
	 * @param slot the slot that will be free soon, {@code null} if there is none: then
	 * the caches are emptied
	 */
	public synchronized void prepare(@Nullable String slot) {
		String wanted = (slot != null) ? slot : "";
		if (wanted.equals(this.caches.shard())) {
			return;
		}
		this.caches.rename(wanted);
		this.disconnect.run();
		if (slot != null) {
			logger.info("Filling the caches of a slot whose holder stops slot={}", slot);
			this.connect.run();
			this.caches.fill();
		}
	}

	/**
	 * Fills the caches of the slot that is held, and shows them to readers.
	 * @param slot the slot
	 * @return completes when those are full that the controllers cannot work without
	 */
	public synchronized CompletableFuture<Void> fill(String slot) {
		if (!slot.equals(this.caches.shard())) {
			this.caches.rename(slot);
			this.connect.run();
		}
		this.caches.fill();
		this.caches.show();
		this.received = this.caches.received();
		this.progressAt = this.nanos.getAsLong();
		return this.caches.neededSynced();
	}

	/** The Lease is not held any more: what was read from the caches is not ours. */
	public synchronized void hide() {
		this.caches.hide();
	}

	/**
	 * Why the caches do not fill.
	 * @return the reason, {@code null} as long as they make progress
	 */
	public synchronized @Nullable String problem() {
		for (Map.Entry<String, InformerStatus> informer : this.caches.neededStatuses().entrySet()) {
			InformerStatus status = informer.getValue();
			if (!status.synced() && status.refused()) {
				return "the API server refuses to list %s: %s".formatted(informer.getKey(), status.lastError());
			}
		}
		long now = this.nanos.getAsLong();
		long before = this.received;
		this.received = this.caches.received();
		if (this.received != before) {
			this.progressAt = now;
		}
		return (now - this.progressAt > PATIENCE.toNanos())
				? "lists have brought nothing for %d s".formatted(PATIENCE.toSeconds()) : null;
	}

}
