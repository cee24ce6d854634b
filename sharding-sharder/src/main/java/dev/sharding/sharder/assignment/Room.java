package dev.sharding.sharder.assignment;

import java.util.concurrent.CompletableFuture;

/**
 * Bounds how much is under way of something that comes page by page: the next page is not
 * asked for before there is room for it. Threadsafe.
 */
final class Room {

	private final int most;

	private int taken;

	private CompletableFuture<Void> free = CompletableFuture.completedFuture(null);

	private CompletableFuture<Void> empty = CompletableFuture.completedFuture(null);

	/**
	 * @param most how much may be under way before there is no room for more
	 */
	Room(int most) {
		this.most = most;
	}

	/** Takes room until the work ends, whether there is any or not. */
	void take(CompletableFuture<?> work) {
		synchronized (this) {
			this.taken++;
			if (this.taken == this.most) {
				this.free = new CompletableFuture<>();
			}
			if (this.taken == 1) {
				this.empty = new CompletableFuture<>();
			}
		}
		work.whenComplete((done, failure) -> giveBack());
	}

	/** Completes when there is room. */
	synchronized CompletableFuture<Void> free() {
		return this.free.copy();
	}

	/** Completes when nothing is under way. */
	synchronized CompletableFuture<Void> empty() {
		return this.empty.copy();
	}

	synchronized int taken() {
		return this.taken;
	}

	private void giveBack() {
		CompletableFuture<Void> freed = null;
		CompletableFuture<Void> emptied = null;
		synchronized (this) {
			this.taken--;
			if (this.taken == this.most - 1) {
				freed = this.free;
			}
			if (this.taken == 0) {
				emptied = this.empty;
			}
		}
		if (freed != null) {
			freed.complete(null);
		}
		if (emptied != null) {
			emptied.complete(null);
		}
	}

}
