package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.Settling;
import dev.sharding.internal.sharder.shardlease.LeaseBook.ShardName;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.resource.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Lets those that come within the settle time of each other get their part of the objects
 * with one change of membership, and has that marked on their Leases, by which webhooks
 * and the next leader know. Lives on the thread of {@link ShardLeases}.
 */
final class Arrivals {

	private final LeaseBook book;

	private final Duration settle;

	private final EventLoop loop;

	private final Supplier<Moment> clock;

	private final Consumer<ObjectKey> look;

	private final Consumer<String> due;

	private final Map<String, Settling> rings = new HashMap<>();

	private final Map<String, Future<?>> timers = new HashMap<>();

	/**
	 * @param settle the settle time; zero to wait for nobody
	 * @param look called with a Lease that is to be marked
	 * @param due called with a ring when its newcomers may have waited for long enough
	 */
	Arrivals(LeaseBook book, Duration settle, EventLoop loop, Supplier<Moment> clock, Consumer<ObjectKey> look,
			Consumer<String> due) {
		this.book = book;
		this.settle = settle;
		this.loop = loop;
		this.clock = clock;
		this.look = look;
		this.due = due;
	}

	/**
	 * Takes note of the membership of a ring.
	 * @return whether newcomers have their part from now on, so that the membership is
	 * another one
	 */
	boolean settle(String ring, Membership membership) {
		Moment now = this.clock.get();
		mark(ring, membership.settled(), now);
		Settling before = this.rings.getOrDefault(ring, Settling.NOBODY);
		Settling next = before.next(membership.settled(), membership.settling(), now);
		this.rings.put(ring, next);
		stopTimer(ring);
		Duration left = next.untilSettled(before, this.settle, now);
		if (left == null) {
			return false;
		}
		if (!left.isZero()) {
			Future<?> timer = this.loop.schedule(() -> this.due.accept(ring), left);
			if (timer != null) {
				this.timers.put(ring, timer);
			}
			return false;
		}
		return mark(ring, membership.settling(), now);
	}

	/** The ring is not served any more. */
	void forget(String ring) {
		this.rings.remove(ring);
		stopTimer(ring);
	}

	private boolean mark(String ring, SortedSet<String> shards, Moment now) {
		boolean news = false;
		for (String shard : shards) {
			for (ObjectKey key : this.book.of(new ShardName(ring, shard))) {
				TrackedLease tracked = this.book.get(key);
				if (tracked != null && tracked.seat(now, null).isMember()) {
					news |= tracked.settle(now.wall());
					if (tracked.unmarked() != null) {
						this.loop.execute(() -> this.look.accept(key));
					}
				}
			}
		}
		return news;
	}

	private void stopTimer(String ring) {
		@Nullable Future<?> timer = this.timers.remove(ring);
		if (timer != null) {
			timer.cancel(false);
		}
	}

}
