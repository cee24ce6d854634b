package dev.sharding.internal.sharder.assignment;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Lets a few at a time do what takes memory; the others wait for their turn, in their
 * order. Lives on the thread of its executor.
 */
final class Turns {

	private final int most;

	private final Executor executor;

	private final Queue<Supplier<CompletableFuture<?>>> waiting = new ArrayDeque<>();

	private int taken;

	/**
	 * @param most how many turns may be taken at a time
	 * @param executor where the next one begins
	 */
	Turns(int most, Executor executor) {
		this.most = most;
		this.executor = executor;
	}

	/**
	 * Begins when it is the turn of this one: at once, if not too many have theirs.
	 * @param turn begins, and says when the turn ends, however that ends
	 */
	void take(Supplier<CompletableFuture<?>> turn) {
		this.waiting.add(turn);
		beginNext();
	}

	private void beginNext() {
		while (this.taken < this.most && !this.waiting.isEmpty()) {
			this.taken++;
			this.waiting.remove().get().whenCompleteAsync((done, failure) -> {
				this.taken--;
				beginNext();
			}, this.executor);
		}
	}

}
