package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.sharding.internal.sharder.shardlease.ShardHold;
import dev.sharding.internal.sharder.shardlease.ShardHolds;
import dev.sharding.internal.sharder.watch.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * The holds under which objects leave their shards without a drain: one for each shard,
 * for as long as an object is on its way from there. Lives on the ring's thread.
 */
final class LeaseHolds {

	/* The next object often follows soon. */
	private static final Duration LINGER = Duration.ofMillis(300);

	private final Map<String, Departure> leaseHolds = new HashMap<>();

	private final ShardHolds holds;

	private final EventLoop loop;

	LeaseHolds(ShardHolds holds, EventLoop loop) {
		this.holds = holds;
		this.loop = loop;
	}

	/**
	 * Begins the departure of an object, which must end in {@link #done}.
	 * @return the hold on the shard, {@code null} if the shard is available after all;
	 * never fails
	 */
	CompletableFuture<@Nullable ShardHold> from(String shard) {
		Departure departure = this.leaseHolds.get(shard);
		if (departure == null || departure.isOver()) {
			Departure begun = new Departure(this.holds.hold(shard));
			if (departure != null) {
				begun.objects = departure.objects;
				departure.end();
			}
			this.leaseHolds.put(shard, begun);
			departure = begun;
		}
		departure.objects++;
		return departure.hold.copy();
	}

	/** Tells whether objects may leave the shard right now. */
	boolean isHeld(String shard) {
		Departure departure = this.leaseHolds.get(shard);
		return departure != null && departure.hold.isDone() && !departure.isOver();
	}

	/** An object that left the shard has arrived, or its departure was given up. */
	void done(String shard) {
		Departure departure = this.leaseHolds.get(shard);
		if (departure != null && --departure.objects <= 0) {
			this.loop.schedule(() -> {
				if (departure.objects <= 0 && this.leaseHolds.remove(shard, departure)) {
					departure.end();
				}
			}, LINGER);
		}
	}

	/** Gives all holds up. */
	void close() {
		this.leaseHolds.values().forEach(Departure::end);
		this.leaseHolds.clear();
	}

	/**
	 * The objects that leave one shard under one hold.
	 */
	private static final class Departure {

		private final CompletableFuture<@Nullable ShardHold> hold;

		private int objects;

		private Departure(CompletableFuture<@Nullable ShardHold> hold) {
			this.hold = hold;
		}

		private boolean isOver() {
			if (!this.hold.isDone()) {
				return false;
			}
			ShardHold granted = this.hold.getNow(null);
			return granted == null || !granted.isValid();
		}

		private void end() {
			if (!this.hold.cancel(false)) {
				ShardHold granted = this.hold.getNow(null);
				if (granted != null) {
					granted.release();
				}
			}
		}

	}

}
