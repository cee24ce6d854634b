package dev.sharding.internal.kubernetes.qos.limit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.sharding.qos.spi.Limiter;

/**
 * A turn that comes after a known time.
 */
final class TimedTurn implements Limiter.Turn {

	private final CompletableFuture<Void> ready;

	private final Runnable giveBack;

	private final Runnable announcement;

	private TimedTurn(CompletableFuture<Void> ready, Runnable giveBack, Runnable announcement) {
		this.ready = ready;
		this.giveBack = giveBack;
		this.announcement = announcement;
	}

	/**
	 * A turn that comes.
	 * @param nanos after this time, 0 for now
	 * @param giveBack runs if the request gives up before its turn came
	 * @param announcement tells of the permission
	 */
	static TimedTurn after(long nanos, Runnable giveBack, Runnable announcement) {
		CompletableFuture<Void> ready = (nanos <= 0) ? CompletableFuture.completedFuture(null)
				: new CompletableFuture<Void>().completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
		return new TimedTurn(ready, giveBack, announcement);
	}

	/**
	 * A turn that never comes.
	 * @param retryAfterNanos when it is worth trying again
	 * @param announcement tells of the rejection
	 */
	static TimedTurn refused(long retryAfterNanos, Runnable announcement) {
		return new TimedTurn(CompletableFuture.failedFuture(new Limiter.Refused(retryAfterNanos)), () -> {
		}, announcement);
	}

	@Override
	public CompletableFuture<Void> ready() {
		return this.ready;
	}

	@Override
	public void announce() {
		this.announcement.run();
	}

	@Override
	public void leave() {
		if (this.ready.cancel(false)) {
			this.giveBack.run();
		}
	}

}
