package dev.sharding.kubernetes.qos;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A turn that comes after a known time.
 */
final class TimedTurn implements Limiter.Turn {

	private final CompletableFuture<Void> ready;

	private final Runnable giveBack;

	private TimedTurn(CompletableFuture<Void> ready, Runnable giveBack) {
		this.ready = ready;
		this.giveBack = giveBack;
	}

	/**
	 * A turn that comes.
	 * @param nanos after this time, 0 for now
	 * @param giveBack runs if the request gives up before its turn came
	 */
	static TimedTurn after(long nanos, Runnable giveBack) {
		CompletableFuture<Void> ready = (nanos <= 0) ? CompletableFuture.completedFuture(null)
				: new CompletableFuture<Void>().completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
		return new TimedTurn(ready, giveBack);
	}

	/** A turn that never comes. */
	static TimedTurn refused(long retryAfterNanos) {
		return new TimedTurn(CompletableFuture.failedFuture(new Limiter.Refused(retryAfterNanos)), () -> {
		});
	}

	@Override
	public CompletableFuture<Void> ready() {
		return this.ready;
	}

	@Override
	public void leave() {
		if (this.ready.cancel(false)) {
			this.giveBack.run();
		}
	}

}
