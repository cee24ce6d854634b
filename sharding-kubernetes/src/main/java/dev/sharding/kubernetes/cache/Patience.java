package dev.sharding.kubernetes.cache;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.NotSentException;
import dev.sharding.kubernetes.rest.TransportThread;

/**
 * How long a reader waits for an answer of the API server, and what ends the wait.
 */
interface Patience {

	/** That of a reader who named no deadline: what the API server needs. */
	Patience USUAL = new Patience() {

		@Override
		public Duration left() {
			return ApiRequest.DEFAULT_TIMEOUT;
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
				return answer.get();
			}
			catch (ExecutionException ex) {
				ApiException failure = ApiException.of(ex);
				throw (failure.getCause() instanceof NotSentException refusal) ? refusal : failure;
			}
			catch (InterruptedException ex) {
				answer.cancel(true);
				Thread.currentThread().interrupt();
				throw new ApiException(0, "", null, "Failed to learn what became of an own write: interrupted", ex);
			}
		}

	};

	/** How long one more request may take, positive. */
	Duration left();

	/** Waits for an answer, and cancels it when nobody waits any more. */
	<R> R await(CompletableFuture<R> answer);

}
