package dev.sharding.internal.kubernetes.cache.overlay;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.client.NotSentException;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.CallContext;
import dev.sharding.internal.kubernetes.rest.RetryTime;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;

/**
 * Sends requests that may be sent twice without harm: again after failures that pass, up
 * to three times in all. Somebody waits for the answer, so the pauses are short.
 */
public final class RetriedQuestions {

	private static final int ATTEMPTS = 3;

	private static final Duration PAUSE = Duration.ofMillis(100);

	/** No answer, too many requests, and what servers say that are about to be fine. */
	private static final Set<Integer> PASSING = Set.of(0, 429, 500, 502, 503, 504);

	private final ApiRequests requests;

	private final RetryTime retryTime = new RetryTime(System::nanoTime);

	public RetriedQuestions(ApiRequests requests) {
		this.requests = requests;
	}

	/** How long the API server wants to be left alone, or {@code null}. */
	public @Nullable Duration retryAfter() {
		return this.retryTime.left();
	}

	/** The answer; cancelling it ends the exchange. */
	public CompletableFuture<ApiResponse> send(ApiRequest request) {
		CompletableFuture<ApiResponse> answer = new CompletableFuture<>();
		attempt(request, answer, 1, System.nanoTime(), CallContext.capture());
		return answer;
	}

	/** Whether the same question may be answered when it is asked again. */
	static boolean passes(ApiException failure) {
		return PASSING.contains(failure.status()) && !(failure.getCause() instanceof NotSentException);
	}

	private void attempt(ApiRequest request, CompletableFuture<ApiResponse> answer, int attempt, long begun,
			CallContext caller) {
		CompletableFuture<ApiResponse> sent = caller.call(() -> this.requests.send(request));
		answer.whenComplete((done, failure) -> sent.cancel(true));
		sent.whenComplete((response, failure) -> {
			if (failure == null) {
				this.retryTime.answered();
				answer.complete(response);
				return;
			}
			ApiException cause = ApiException.of(failure);
			// What it asked of another question counts for this one as well.
			Duration asked = this.retryTime.refused(cause);
			if (attempt == ATTEMPTS || !passes(cause)) {
				answer.completeExceptionally(cause);
				return;
			}
			Duration pause = (asked != null) ? asked : PAUSE.multipliedBy(attempt);
			Duration waited = Duration.ofNanos(System.nanoTime() - begun);
			if (pause.plus(waited).compareTo(request.timeout()) >= 0) {
				// Nobody would wait that long; whoever asked learns when to come again.
				answer.completeExceptionally(cause);
				return;
			}
			ProtocolThreads.later(pause, () -> {
				if (!answer.isDone()) {
					attempt(request, answer, attempt + 1, begun, caller);
				}
			});
		});
	}

}
