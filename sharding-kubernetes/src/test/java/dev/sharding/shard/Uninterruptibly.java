package dev.sharding.shard;

import java.util.concurrent.CountDownLatch;

/**
 * Waits as a reconciler does that does not listen when it is told to stop.
 */
final class Uninterruptibly {

	private Uninterruptibly() {
	}

	static void await(CountDownLatch latch) {
		while (true) {
			try {
				latch.await();
				// It does not even leave a trace.
				Thread.interrupted();
				return;
			}
			catch (InterruptedException swallowed) {
				continue;
			}
		}
	}

}
