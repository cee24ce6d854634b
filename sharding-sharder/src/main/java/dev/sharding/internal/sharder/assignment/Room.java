package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Bounds how much is under way of something that comes page by page: the next page is not
 * asked for before there is room for it. What takes very long, such as a patch that hangs
 * in the admission of its object, takes no room from what comes after it, unless there is
 * a great deal of that. Threadsafe.
 */
final class Room {

	/* Who takes longer does not wait for its turn, but for something else. */
	static final Duration STUCK = Duration.ofSeconds(10);

	/* All of it is in memory. */
	private static final int MOST_STUCK = 10_000;

	private final int most;

	private final LongSupplier nanoTime;

	private final BiConsumer<Runnable, Duration> later;

	/* What takes room, and since when; oldest first. */
	private final Map<Object, Long> young = new LinkedHashMap<>();

	private int stuck;

	/* The timer runs. */
	private boolean looking;

	private @Nullable CompletableFuture<Void> free;

	private @Nullable CompletableFuture<Void> empty;

	private @Nullable CompletableFuture<Void> idle;

	/**
	 * @param most how much may be under way before there is no room for more
	 * @param later runs a task after a while
	 */
	Room(int most, LongSupplier nanoTime, BiConsumer<Runnable, Duration> later) {
		this.most = most;
		this.nanoTime = nanoTime;
		this.later = later;
	}

	/** Takes room until the work ends, whether there is any or not. */
	void take(CompletableFuture<?> work) {
		Object place = new Object();
		synchronized (this) {
			this.young.put(place, this.nanoTime.getAsLong());
		}
		work.whenComplete((done, failure) -> giveBack(place));
	}

	/** Completes when there is room. */
	CompletableFuture<Void> free() {
		CompletableFuture<Void> asked;
		synchronized (this) {
			if (isFree()) {
				return CompletableFuture.completedFuture(null);
			}
			if (this.free == null) {
				this.free = new CompletableFuture<>();
			}
			asked = this.free.copy();
		}
		lookLater();
		return asked;
	}

	/** Completes when nothing is under way. */
	synchronized CompletableFuture<Void> empty() {
		if (taken() == 0) {
			return CompletableFuture.completedFuture(null);
		}
		if (this.empty == null) {
			this.empty = new CompletableFuture<>();
		}
		return this.empty.copy();
	}

	/** Completes when nothing is under way but what is stuck. */
	CompletableFuture<Void> idle() {
		CompletableFuture<Void> asked;
		synchronized (this) {
			age();
			if (this.young.isEmpty()) {
				return CompletableFuture.completedFuture(null);
			}
			if (this.idle == null) {
				this.idle = new CompletableFuture<>();
			}
			asked = this.idle.copy();
		}
		lookLater();
		return asked;
	}

	/** How much is under way, with what is stuck. */
	synchronized int taken() {
		return this.young.size() + this.stuck;
	}

	private boolean isFree() {
		age();
		return this.young.size() < this.most && taken() < MOST_STUCK;
	}

	private void age() {
		long now = this.nanoTime.getAsLong();
		Iterator<Long> oldest = this.young.values().iterator();
		while (oldest.hasNext() && now - oldest.next() >= STUCK.toNanos()) {
			oldest.remove();
			this.stuck++;
		}
	}

	private void giveBack(Object place) {
		CompletableFuture<Void> emptied = null;
		synchronized (this) {
			if (this.young.remove(place) == null) {
				this.stuck--;
			}
			if (taken() == 0) {
				emptied = this.empty;
				this.empty = null;
			}
		}
		tell();
		if (emptied != null) {
			emptied.complete(null);
		}
	}

	private void tell() {
		CompletableFuture<Void> freed = null;
		CompletableFuture<Void> idled = null;
		synchronized (this) {
			age();
			if (this.free != null && isFree()) {
				freed = this.free;
				this.free = null;
			}
			if (this.young.isEmpty()) {
				idled = this.idle;
				this.idle = null;
			}
		}
		if (freed != null) {
			freed.complete(null);
		}
		if (idled != null) {
			idled.complete(null);
		}
	}

	/* If all of it is stuck, nobody else comes to tell. */
	private void lookLater() {
		Duration delay;
		synchronized (this) {
			Iterator<Long> oldest = this.young.values().iterator();
			if (this.looking || (this.free == null && this.idle == null) || !oldest.hasNext()) {
				return;
			}
			this.looking = true;
			delay = STUCK.minusNanos(this.nanoTime.getAsLong() - oldest.next());
		}
		this.later.accept(() -> {
			synchronized (this) {
				this.looking = false;
			}
			tell();
			lookLater();
		}, delay);
	}

}
