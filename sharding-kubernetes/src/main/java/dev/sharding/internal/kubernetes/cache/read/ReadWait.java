package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.sharding.cache.CacheNotFilledException;
import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.ConsistentReadException.Reason;
import dev.sharding.cache.ReadCancellation;
import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.cache.overlay.Deadline;
import dev.sharding.internal.kubernetes.informer.wire.UndecodableException;
import dev.sharding.internal.kubernetes.rest.TransportThread;
import dev.sharding.resource.ResourceType;

/**
 * The patience of one read: until its deadline, its cancellation, or an interrupt of its
 * thread, whichever comes first.
 */
public final class ReadWait implements Deadline {

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private final ResourceType<?> type;

	private final LongSupplier nanos;

	private final Duration limit;

	private final @Nullable ReadCancellation cancellation;

	private final long start;

	/** Only for the thread of the reader. */
	private Supplier<@Nullable Duration> retryAfter = () -> null;

	/** Only for the thread of the reader. */
	private long waited;

	public ReadWait(ResourceType<?> type, LongSupplier nanos, Duration limit, @Nullable ReadCancellation cancellation) {
		this.type = type;
		this.nanos = nanos;
		this.limit = limit;
		this.cancellation = cancellation;
		this.start = nanos.getAsLong();
	}

	/** As long again. */
	ReadWait anew() {
		return new ReadWait(this.type, this.nanos, this.limit, this.cancellation);
	}

	/**
	 * Lets those whose deadline passes learn when it is worth trying again.
	 * @param hint how long the API server wants to be left alone, or {@code null}
	 */
	ReadWait asking(Supplier<@Nullable Duration> hint) {
		this.retryAfter = hint;
		return this;
	}

	/** How long the reader had waited when its last wait ended. */
	long waited() {
		return this.waited;
	}

	Duration limit() {
		return this.limit;
	}

	private long elapsed() {
		return this.nanos.getAsLong() - this.start;
	}

	/** What is left of the limit, at least a millisecond. */
	@Override
	public Duration left() {
		long left = this.limit.toNanos() - elapsed();
		return Duration.ofNanos(Math.max(left, TimeUnit.MILLISECONDS.toNanos(1)));
	}

	/**
	 * Waits for a future, and cancels it when nobody waits any more.
	 * @throws ConsistentReadException if the wait ended before
	 * @throws UndecodableException if what was read does not fit its class
	 * @throws ApiException what the future failed with, if the API server answered
	 */
	@Override
	public <R> R await(CompletableFuture<R> future) {
		if (TransportThread.isCurrent() && !future.isDone()) {
			future.cancel(true);
			throw onThreadInNeed();
		}
		if (this.cancellation != null) {
			this.cancellation.begin(future);
		}
		try {
			return future.get(left().toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw tooLate(ex);
		}
		catch (CancellationException ex) {
			throw isCancelled() ? failure(Reason.CANCELLED, "cancelled", null, ex) : refused(ex);
		}
		catch (ExecutionException ex) {
			// A request that took until the deadline may end a moment before its reader.
			throw (elapsed() >= this.limit.toNanos() && !ApiException.of(ex).isAnswered()
					&& !(ApiException.of(ex).getCause() instanceof UndecodableException)) ? tooLate(ex) : refused(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw failure(Reason.CANCELLED, "interrupted", null, ex);
		}
		finally {
			if (this.cancellation != null) {
				this.cancellation.end(future);
			}
			future.cancel(true);
			this.waited = elapsed();
		}
	}

	/**
	 * For a reader that has to begin again.
	 * @throws ConsistentReadException if it may not
	 */
	void requireTime() {
		if (isCancelled() || Thread.currentThread().isInterrupted()) {
			throw failure(Reason.CANCELLED, isCancelled() ? "cancelled" : "interrupted", null, null);
		}
		if (elapsed() >= this.limit.toNanos()) {
			throw tooLate(null);
		}
	}

	/** For a reader on a thread that the answer needs. */
	ConsistentReadException onThreadInNeed() {
		return failure(Reason.THREAD, "thread %s must not wait, as the answer needs it; read on another one"
			.formatted(Thread.currentThread().getName()), null, null);
	}

	/** For a reader whom nothing can come for. */
	ConsistentReadException futile(CacheNotFilledException cause) {
		return failure(Reason.REFUSED, cause.getMessage(), cause.retryAfter(), cause);
	}

	private ConsistentReadException tooLate(@Nullable Throwable thrown) {
		return failure(Reason.DEADLINE, "no consistent state within %d ms".formatted(this.limit.toMillis()),
				this.retryAfter.get(), thrown);
	}

	private boolean isCancelled() {
		return this.cancellation != null && this.cancellation.isCancelled();
	}

	private ConsistentReadException refused(Throwable thrown) {
		ApiException cause = ApiException.of(thrown);
		if (cause.getCause() instanceof UndecodableException unfit) {
			// It was read, and to try again would not help.
			throw unfit;
		}
		return failure(Reason.REFUSED, cause.getMessage(), cause.retryAfter(), cause);
	}

	private ConsistentReadException failure(Reason reason, @Nullable String text, @Nullable Duration asked,
			@Nullable Throwable cause) {
		Duration retryAfter = (asked != null && !asked.isZero()) ? asked : RETRY_AFTER;
		return new ConsistentReadException(reason, "Failed to read %s consistently: %s; try again in %d ms"
			.formatted(this.type, text, retryAfter.toMillis()), retryAfter, cause);
	}

}
