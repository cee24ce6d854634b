package dev.sharding.internal.kubernetes.slot;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.informer.InformerTimings;

/**
 * Fills the caches of a shard with what bears the label of a slot: once its Lease is
 * held, or before that if its holder has begun to stop. Safe for use by many threads.
 */
public final class Filling {

	private static final Logger logger = LoggerFactory.getLogger(Filling.class);

	/*
	 * Whoever renews its Lease and gets no answer to its lists is cut off, and others are
	 * not. It has the time of one more attempt. An API server that asks for patience asks
	 * all, and is waited for longer.
	 */
	private static final Duration LONGEST_SILENCE = InformerTimings.DEFAULT.answer();

	private final InformerCaches caches;

	private final Runnable connect;

	private final Runnable disconnect;

	private final Duration patience;

	/**
	 * Creates it.
	 * @param caches the caches of the shard
	 * @param connect has everybody follow the informers of the caches anew
	 * @param disconnect has nobody keep what was in the caches
	 * @param patience how long lists may fail that are answered, zero for ever
	 */
	public Filling(InformerCaches caches, Runnable connect, Runnable disconnect, Duration patience) {
		this.disconnect = disconnect;
		this.caches = caches;
		this.connect = connect;
		this.patience = patience;
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
		return this.caches.neededSynced();
	}

	/** The Lease is not held any more: what was read from the caches is not ours. */
	public synchronized void hide() {
		this.caches.hide();
	}

	/**
	 * Why the caches do not fill.
	 * @return the reason, {@code null} as long as they may
	 */
	public @Nullable String problem() {
		return problem(this.caches.neededStatuses(), this.patience);
	}

	/*
	 * A list that lasts fails by itself if it brings nothing, and one that is given up
	 * begins from nothing.
	 */
	static @Nullable String problem(Map<String, InformerStatus> informers, Duration patience) {
		for (Map.Entry<String, InformerStatus> informer : informers.entrySet()) {
			InformerStatus status = informer.getValue();
			if (status.synced() || status.failingSince() == null) {
				continue;
			}
			if (status.refused()) {
				return "the API server refuses to list %s: %s".formatted(informer.getKey(), status.lastError());
			}
			Duration longest = status.unanswered() ? LONGEST_SILENCE : patience;
			if (!longest.isZero() && status.failingFor().compareTo(longest) > 0) {
				return "lists of %s have failed for %d s: %s".formatted(informer.getKey(),
						status.failingFor().toSeconds(), status.lastError());
			}
		}
		return null;
	}

}
