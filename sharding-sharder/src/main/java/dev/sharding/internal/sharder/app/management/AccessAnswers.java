package dev.sharding.internal.sharder.app.management;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import dev.sharding.internal.core.qos.Admission;
import dev.sharding.internal.core.qos.TokenBucketState;
import dev.sharding.internal.sharder.app.management.AccessReviews.Verdict;
import dev.sharding.qos.spi.QosClass.TokenBucket;
import org.jspecify.annotations.Nullable;

/**
 * What the API server said about who may do what, and how often it may be asked. What it
 * says counts for a while. Strangers share a small budget of questions; whoever was
 * allowed before is asked about outside of it, and strangers do not push his answer out.
 * Safe for use by many threads.
 */
final class AccessAnswers {

	static final Duration ALLOWED_FOR = Duration.ofMinutes(1);

	static final Duration DENIED_FOR = Duration.ofSeconds(10);

	/* Kept and asked, together. */
	static final int MOST = 128;

	/* Open at a time; each is up to two requests. */
	static final int MOST_OPEN = 16;

	/*
	 * A reader of metrics needs one a minute, and all readers may start at once. With
	 * these, the refusals that count take half of what is kept.
	 */
	static final TokenBucket STRANGERS = new TokenBucket(4, 20);

	private final LongSupplier nanoTime;

	/* The oldest first. Guarded by itself. */
	private final Map<String, Known> known = new LinkedHashMap<>();

	/* Guarded by the known. */
	private TokenBucketState budget;

	/* Guarded by the known. */
	private int open;

	AccessAnswers(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.budget = TokenBucketState.full(nanoTime.getAsLong());
	}

	/**
	 * Returns the answer to a question.
	 * @param question tells it from all others
	 * @param asking asks the API server; called where no answer counts and one more
	 * question may be asked
	 * @return the verdict; fails where the API server gives none
	 */
	CompletionStage<Verdict> of(String question, Supplier<CompletableFuture<Verdict>> asking) {
		CompletableFuture<Verdict> verdict = new CompletableFuture<>();
		synchronized (this.known) {
			long now = this.nanoTime.getAsLong();
			Known before = this.known.get(question);
			if (before != null && before.counts(now)) {
				return before.verdict();
			}
			if (this.open >= MOST_OPEN || !isInBudget(before, now)) {
				return CompletableFuture.completedFuture(Verdict.TOO_MANY);
			}
			this.known.remove(question);
			makeRoom();
			this.open++;
			this.known.put(question, new Known(verdict, now));
		}
		asked(asking).whenComplete((found, failure) -> {
			synchronized (this.known) {
				this.open--;
			}
			if (failure != null) {
				verdict.completeExceptionally(failure);
			}
			else {
				verdict.complete(found);
			}
		});
		return verdict;
	}

	private static CompletableFuture<Verdict> asked(Supplier<CompletableFuture<Verdict>> asking) {
		try {
			return asking.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private boolean isInBudget(@Nullable Known before, long now) {
		if (before != null && before.isAllowed()) {
			return true;
		}
		if (this.budget.reserve(STRANGERS, 1, now, 0) instanceof Admission.Granted<TokenBucketState> granted) {
			this.budget = granted.next();
			return true;
		}
		return false;
	}

	/*
	 * The oldest refusal goes, and only without one the oldest permission. There is one
	 * or the other, as fewer are open than are kept.
	 */
	private void makeRoom() {
		if (this.known.size() >= MOST && !forgetOldest((one) -> one.verdict().isDone() && !one.isAllowed())) {
			forgetOldest(Known::isAllowed);
		}
	}

	private boolean forgetOldest(Predicate<Known> which) {
		for (Iterator<Known> each = this.known.values().iterator(); each.hasNext();) {
			if (which.test(each.next())) {
				each.remove();
				return true;
			}
		}
		return false;
	}

	/**
	 * A question that was asked.
	 *
	 * @param verdict the answer, once it is there
	 * @param asked when it was asked, on the monotonic clock
	 */
	private record Known(CompletableFuture<Verdict> verdict, long asked) {

		private boolean counts(long now) {
			if (!this.verdict.isDone()) {
				return true;
			}
			if (this.verdict.isCompletedExceptionally()) {
				return false;
			}
			return now - this.asked < (isAllowed() ? ALLOWED_FOR : DENIED_FOR).toNanos();
		}

		private boolean isAllowed() {
			return this.verdict.isDone() && !this.verdict.isCompletedExceptionally()
					&& this.verdict.join() == Verdict.ALLOWED;
		}

	}

}
