package dev.sharding.kubernetes.cache;

import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.RequestThrottle;

/**
 * Counts what leaves for the API server, and holds nothing up.
 */
final class CountedRequests implements RequestThrottle {

	private final AtomicInteger questions = new AtomicInteger();

	private final AtomicInteger writes = new AtomicInteger();

	@Override
	public @Nullable Passage enter(ApiRequest request) {
		(request.method().equals("GET") ? this.questions : this.writes).incrementAndGet();
		return null;
	}

	Count count() {
		return new Count(this.questions.get(), this.writes.get());
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

}
