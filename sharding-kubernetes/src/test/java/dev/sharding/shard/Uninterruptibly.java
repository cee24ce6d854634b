package dev.sharding.shard;

import java.util.concurrent.CountDownLatch;

/**
 * Waits as code does that does not care about interrupts.
 */
final class Uninterruptibly {

	private Uninterruptibly() {
	}

	static void await(CountDownLatch latch) {
		boolean over = false;
		while (!over) {
			try {
				latch.await();
				over = true;
			}
			catch (InterruptedException swallowed) {
				// Goes on.
			}
		}
	}

}
