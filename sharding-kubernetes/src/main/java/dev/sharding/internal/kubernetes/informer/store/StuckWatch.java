package dev.sharding.internal.kubernetes.informer.store;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Helps a watch along that has to tell something: it may pause after failures though the
 * API server answers again, or events may be stuck in its connection, or in its server.
 */
final class StuckWatch {

	private static final Logger logger = LoggerFactory.getLogger(Informer.class);

	private final Upstream upstream;

	private final Duration stall;

	private final CompletableFuture<?> awaited;

	private final BooleanSupplier late;

	private StuckWatch(Upstream upstream, Duration stall, CompletableFuture<?> awaited, BooleanSupplier late) {
		this.upstream = upstream;
		this.stall = stall;
		this.awaited = awaited;
		this.late = late;
	}

	/**
	 * Ends its pause; opens the watch anew when it stalls, then lists anew, and so on in
	 * turn. Called when the API server has just answered.
	 * @param upstream whose watch it is
	 * @param stall how long to wait each time
	 * @param awaited what must come; ends this when it is done
	 * @param late whether the watch lags behind for certain, though those who waited have
	 * given up: they may be less patient than {@code stall}
	 */
	static void helpAlong(Upstream upstream, Duration stall, CompletableFuture<?> awaited, BooleanSupplier late) {
		upstream.wake();
		new StuckWatch(upstream, stall, awaited, late).turn(false);
	}

	private void turn(boolean again) {
		CompletableFuture<Boolean> timer = new CompletableFuture<Boolean>().completeOnTimeout(true,
				this.stall.toNanos(), TimeUnit.NANOSECONDS);
		// Cancelling would leave the timer in its queue until it is due, before Java 19.
		this.awaited.whenComplete((how, failure) -> {
			if (!this.late.getAsBoolean()) {
				timer.complete(false);
			}
		});
		timer.thenAcceptAsync((due) -> {
			boolean waiting = !this.awaited.isDone();
			if (due && (waiting || this.late.getAsBoolean())) {
				open(again);
			}
			if (due && waiting) {
				turn(!again);
			}
		}, ProtocolThreads.EXECUTOR);
	}

	private void open(boolean again) {
		StorePart<?> part = this.upstream.part();
		// A list under way would begin anew and, if it takes long, never end.
		if (part.watermark() == null || part.isRelisting()) {
			return;
		}
		logger.info("Watch lags behind, {}: namespace={}", again ? "listing anew" : "opening it anew",
				part.namespace());
		if (again) {
			this.upstream.relist();
		}
		else {
			this.upstream.reopen();
		}
	}

}
