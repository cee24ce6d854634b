package dev.sharding.internal.kubernetes.informer.store;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.informer.InformerTimings;
import dev.sharding.internal.kubernetes.rest.CallContext;
import org.jspecify.annotations.Nullable;

/*
 * The probe costs next to nothing and often decides: when nothing was written to the API server that the
 * watch has not told yet. Its answer is a version that was the present one after the readers came, so a list
 * that is not older than it serves them; the API server, whose memory has got there already, need not ask
 * etcd again for such a list, nor wait.
 */
/**
 * Brings one part of a store up to a present that lies after the creation of this flight.
 */
final class PartFlight {

	private final Upstream upstream;

	private final @Nullable Selection<?> selection;

	private final InformerTimings timings;

	private final CompletableFuture<CatchUp> reached;

	private final Executor afterHandlers;

	private final Executor steps;

	/* Later questions are asked on other threads. */
	private final CallContext caller = CallContext.capture();

	private boolean watched;

	/**
	 * Creates a flight that has not begun.
	 * @param selection gets what the part shows, where that is all that readers need
	 * @param reached completes when the part is there; ends the flight when it is done
	 * otherwise
	 * @param afterHandlers runs a task after the handlers had all events so far
	 * @param steps runs what follows from an answer, which takes the store's lock and
	 * walks over its objects
	 */
	PartFlight(Upstream upstream, @Nullable Selection<?> selection, InformerTimings timings,
			CompletableFuture<CatchUp> reached, Executor afterHandlers, Executor steps) {
		this.upstream = upstream;
		this.selection = selection;
		this.timings = timings;
		this.reached = reached;
		this.afterHandlers = afterHandlers;
		this.steps = steps;
	}

	boolean isDone() {
		return this.reached.isDone();
	}

	void fail(Throwable cause) {
		this.reached.completeExceptionally(cause);
	}

	/**
	 * Asks once.
	 * @param sameServer whether the API server that answers a list is taken to be as far
	 * as the one that answered the probe
	 * @return completes when the questions are answered, or fails
	 */
	CompletableFuture<Void> attempt(boolean sameServer) {
		// Before the question, whose answer is not older than anything that was told
		// until then.
		String before = this.upstream.part().watermark();
		return whileNeeded(this.caller.call(this.upstream::presentVersion)).thenComposeAsync((present) -> {
			if (ResourceVersions.compare(present, before) == Order.BEFORE) {
				// etcd was restored: the store is from a time that is no more.
				listAnew();
				return CompletableFuture.completedFuture(null);
			}
			String watermark = this.upstream.part().watermark();
			boolean comparable = ResourceVersions.isComparable(present);
			if (comparable && hasReached(watermark, present)) {
				complete(CatchUp.PROBE);
				return CompletableFuture.completedFuture(null);
			}
			if (comparable && this.selection != null
					&& this.selection.takeAgain(this.upstream.part().namespace(), present)) {
				complete(CatchUp.PROBE);
				return CompletableFuture.completedFuture(null);
			}
			if (comparable) {
				expect(Expectation.ofVersion(present, () -> complete(CatchUp.WATCH)));
			}
			Selection<?> asked = (comparable && !isWholeScopeDue(present)) ? this.selection : null;
			return whileNeeded(this.caller.call(() -> this.upstream
				.versions((comparable && sameServer) ? present : null, (asked != null) ? asked.query() : null)))
				.thenAcceptAsync((versions) -> compare(versions, asked), this.steps);
		}, this.steps);
	}

	private <R> CompletableFuture<R> whileNeeded(CompletableFuture<R> question) {
		this.reached.whenComplete((how, failure) -> question.cancel(true));
		return question;
	}

	private boolean isWholeScopeDue(String present) {
		return this.selection != null && this.upstream.turns().isDue(present);
	}

	private void compare(MetadataSnapshot versions, @Nullable Selection<?> asked) {
		if (this.reached.isDone()) {
			return;
		}
		if (ResourceVersions.isComparable(versions.version())) {
			expect(expectation(versions, asked));
			if (!this.watched) {
				this.watched = true;
				StuckWatch.helpAlong(this.upstream, this.timings.stall(), this.reached,
						() -> this.reached.isCompletedExceptionally() && ResourceVersions
							.compare(this.upstream.part().watermark(), versions.version()) == Order.BEFORE);
			}
		}
		else {
			listAnew();
		}
	}

	private Expectation expectation(MetadataSnapshot versions, @Nullable Selection<?> asked) {
		String version = versions.version();
		if (asked == null) {
			return new Expectation(version, versions.objects(), () -> complete(CatchUp.LIST));
		}
		return Expectation.ofSelected(asked.query(), version, versions.objects(), () -> {
			asked.take(this.upstream.part().namespace(), version);
			complete(CatchUp.LIST);
		});
	}

	private void listAnew() {
		this.upstream.part().afterNextRelist(() -> complete(CatchUp.RELIST));
		this.upstream.relist();
	}

	private void expect(Expectation expectation) {
		this.upstream.part().expect(expectation);
		this.reached.whenComplete((how, failure) -> this.upstream.part().forget(expectation));
	}

	/** May be called under the store's lock, where nobody's callbacks may run. */
	private void complete(CatchUp how) {
		this.afterHandlers.execute(() -> this.reached.complete(how));
	}

	private static boolean hasReached(@Nullable String watermark, String present) {
		Order order = ResourceVersions.compare(watermark, present);
		return order == Order.SAME || order == Order.AFTER;
	}

}
