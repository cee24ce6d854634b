package dev.sharding.internal.kubernetes.cache;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.client.RequestThrottle;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;

/**
 * Counts what leaves for the API server, and holds nothing up. Of questions it knows when
 * they left, and when their answer wanted the next one.
 */
final class CountedRequests implements RequestThrottle {

	private static final int TOO_MANY_REQUESTS = 429;

	private final List<Question> questions = new CopyOnWriteArrayList<>();

	private final AtomicInteger writes = new AtomicInteger();

	@Override
	public @Nullable Passage enter(ApiRequest request) {
		if (!request.method().equals("GET")) {
			this.writes.incrementAndGet();
			return null;
		}
		Question question = new Question();
		this.questions.add(question);
		return question;
	}

	Count count() {
		return new Count(this.questions.size(), this.writes.get());
	}

	/** How many questions the API server did not want. */
	long refused() {
		return this.questions.stream().filter((question) -> question.retryAfter != null).count();
	}

	/**
	 * How many questions left before the answer to an earlier one allowed it: it cannot
	 * have come before that left.
	 */
	long early() {
		return this.questions.stream()
			.filter((question) -> this.questions.stream().anyMatch((other) -> other.forbids(question)))
			.count();
	}

	/** How many there were. */
	record Count(int questions, int writes) {

		int all() {
			return this.questions + this.writes;
		}

		Count minus(Count before) {
			return new Count(this.questions - before.questions, this.writes - before.writes);
		}

	}

	private static final class Question implements Passage {

		private final long left = System.nanoTime();

		private volatile @Nullable Duration retryAfter;

		boolean forbids(Question other) {
			Duration wait = this.retryAfter;
			return wait != null && other.left - this.left > 0 && other.left - this.left < wait.toNanos();
		}

		@Override
		public CompletableFuture<Void> admitted() {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void received(ByteBuffer chunk) {
		}

		@Override
		public void ended(@Nullable Throwable failure) {
			if (failure instanceof ApiException refusal && refusal.status() == TOO_MANY_REQUESTS) {
				this.retryAfter = refusal.retryAfter();
			}
		}

	}

}
