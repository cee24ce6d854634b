package dev.sharding.internal.kubernetes.cache.overlay;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.sharding.client.ApiException;
import dev.sharding.client.NotSentException;
import dev.sharding.internal.kubernetes.rest.TransportThread;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;

/**
 * The patience of a reader who named no deadline: what one request may take. It fails as
 * a request does.
 */
final class UsualPatience implements Deadline {

	private final long until;

	UsualPatience() {
		this.until = System.nanoTime() + ApiRequest.DEFAULT_TIMEOUT.toNanos();
	}

	@Override
	public Deadline begun() {
		return new UsualPatience();
	}

	@Override
	public Duration left() {
		return Duration.ofNanos(Math.max(this.until - System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(1)));
	}

	@Override
	public <R> R await(CompletableFuture<R> answer) {
		if (TransportThread.isCurrent() && !answer.isDone()) {
			answer.cancel(true);
			throw new ApiException(0, "", null,
					"Failed to learn what became of an own write: thread %s must not wait, as the answer needs it; read on another one"
						.formatted(Thread.currentThread().getName()),
					null);
		}
		try {
			return answer.get(left().toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			ApiException failure = ApiException.of(ex);
			throw (failure.getCause() instanceof NotSentException refusal) ? refusal : failure;
		}
		catch (TimeoutException ex) {
			answer.cancel(true);
			throw new ApiException(0, "", null, "Failed to learn what became of an own write: no answer within %d ms"
				.formatted(ApiRequest.DEFAULT_TIMEOUT.toMillis()), ex);
		}
		catch (InterruptedException ex) {
			answer.cancel(true);
			Thread.currentThread().interrupt();
			throw new ApiException(0, "", null, "Failed to learn what became of an own write: interrupted", ex);
		}
	}

}
