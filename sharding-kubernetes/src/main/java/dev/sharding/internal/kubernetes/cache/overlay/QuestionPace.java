package dev.sharding.internal.kubernetes.cache.overlay;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;

/**
 * How often the API server is asked about the own writes of one cache, whoever wants to
 * know: so often at most, and not before it wants to be asked again. Safe for use by many
 * threads.
 */
final class QuestionPace {

	/** What is asked in a second is one question. */
	static final Duration USUAL = Duration.ofSeconds(1);

	private final long interval;

	private final LongSupplier nanos;

	private long next;

	/** Why nothing is asked before {@link #next}, if the API server wants it so. */
	private @Nullable ApiException refusal;

	QuestionPace(Duration interval, LongSupplier nanos) {
		this.interval = interval.toNanos();
		this.nanos = nanos;
		this.next = nanos.getAsLong();
	}

	/** Takes the turn if there is one now. */
	boolean take() {
		return waitOrTake() == 0;
	}

	/** Completes when a question may be sent, which it then has to be. */
	CompletableFuture<Void> turn() {
		CompletableFuture<Void> turn = new CompletableFuture<>();
		await(turn);
		return turn;
	}

	/** Notes a question that was not answered. */
	synchronized void refused(ApiException failure) {
		Duration asked = failure.retryAfter();
		if (asked != null) {
			long until = this.nanos.getAsLong() + asked.toNanos();
			this.next = (until - this.next > 0) ? until : this.next;
			this.refusal = failure;
		}
	}

	synchronized void answered() {
		this.refusal = null;
	}

	/**
	 * The API server's last word, if it wants to be left alone for that long or longer.
	 */
	synchronized @Nullable ApiException refusedFor(Duration limit) {
		return (this.refusal != null && this.next - this.nanos.getAsLong() >= limit.toNanos()) ? this.refusal : null;
	}

	private void await(CompletableFuture<Void> turn) {
		if (turn.isDone()) {
			return;
		}
		long left = waitOrTake();
		if (left == 0) {
			turn.complete(null);
		}
		else {
			CompletableFuture.delayedExecutor(left, TimeUnit.NANOSECONDS, ProtocolThreads.EXECUTOR)
				.execute(() -> await(turn));
		}
	}

	private synchronized long waitOrTake() {
		long now = this.nanos.getAsLong();
		if (this.next - now > 0) {
			return this.next - now;
		}
		this.next = now + this.interval;
		return 0;
	}

}
