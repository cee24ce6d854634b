package dev.sharding.internal.kubernetes.cache.overlay;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.overlay.DoubtQuestion;
import dev.sharding.internal.core.overlay.Overlay;
import dev.sharding.internal.kubernetes.informer.SingleFlight;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ObjectKey;

/**
 * Asks the API server about the own writes of one feed that are in doubt: one question at
 * a time, at the pace of the cache, for all who came before it was sent. Its answer ends
 * the doubts for those who come later, so it has its own time, and stays when all who
 * asked have left. Whoever waits hears of the watch, too, should that tell first; a
 * question that nobody needs then is called off, as the next one waits for its end.
 */
final class DoubtResolver<T extends HasMetadata> {

	private static final int ATTEMPTS = 3;

	private static final int GATEWAY_TIMEOUT = 504;

	/*
	 * How long a question may take for which nobody has more patience: one that hangs, on
	 * a connection that is dead, holds those up who come after it.
	 */
	static final Duration LIMIT = Duration.ofSeconds(5);

	private final Feed<T> feed;

	private final ScopeQuestions<T> questions;

	private final QuestionPace pace;

	/** The scope, where versions tell nothing; else nothing, as the overlay knows. */
	private final SingleFlight<Optional<Collection<T>>> flights;

	private final Set<Waiter<T>> waiters = ConcurrentHashMap.newKeySet();

	/* The question that was sent and not answered yet. */
	private volatile @Nullable CompletableFuture<?> sent;

	/* Longer after an answer that was too late, so that a slow one comes through. */
	private volatile Duration limit = LIMIT;

	DoubtResolver(Feed<T> feed, ScopeQuestions<T> questions, QuestionPace pace) {
		this.feed = feed;
		this.questions = questions;
		this.pace = pace;
		this.flights = new SingleFlight<>(pace::turn, this::ask);
	}

	/**
	 * Waits until a reader may look again.
	 * @param inDoubt whether there is need, or {@code null} if the reader wants to be
	 * told the scope
	 * @return what the reader is to take for the scope, or empty if the overlay knows now
	 */
	Optional<Collection<T>> await(@Nullable Predicate<Overlay<ObjectKey, T>> inDoubt, Deadline deadline) {
		Waiter<T> waiter = new Waiter<>(inDoubt, deadline, new CompletableFuture<>());
		this.waiters.add(waiter);
		waiter.answer().whenComplete((done, failure) -> this.waiters.remove(waiter));
		wake(waiter);
		attempt(waiter, 1);
		return deadline.await(waiter.answer());
	}

	/** Asks for nobody in particular. */
	CompletableFuture<Void> settle() {
		return this.flights.join().thenAccept((done) -> {
		});
	}

	/** Lets those go on whose doubts have ended. */
	void wake() {
		this.waiters.forEach(this::wake);
		CompletableFuture<?> asked = this.sent;
		if (asked != null && this.waiters.isEmpty() && this.feed.question() == null) {
			asked.cancel(true);
		}
	}

	private void wake(Waiter<T> waiter) {
		if (waiter.inDoubt() != null && !this.feed.test(waiter.inDoubt())) {
			waiter.answer().complete(Optional.empty());
		}
	}

	private void attempt(Waiter<T> waiter, int attempt) {
		if (waiter.answer().isDone()) {
			return;
		}
		ApiException refusal = this.pace.refusedFor(waiter.deadline().left());
		if (refusal != null) {
			// Nobody would wait that long; whoever asked learns when to come again.
			waiter.answer().completeExceptionally(refusal);
			return;
		}
		this.flights.join().whenComplete((told, failure) -> {
			if (failure == null) {
				waiter.answer().complete(told);
			}
			else if (attempt == ATTEMPTS || !RetriedQuestions.passes(ApiException.of(failure))) {
				waiter.answer().completeExceptionally(ApiException.of(failure));
			}
			else {
				attempt(waiter, attempt + 1);
			}
		});
	}

	private CompletableFuture<Optional<Collection<T>>> ask() {
		DoubtQuestion<ObjectKey> question = this.feed.question();
		boolean told = this.waiters.stream().anyMatch((waiter) -> waiter.inDoubt() == null);
		if (question == null && !told) {
			return CompletableFuture.completedFuture(Optional.empty());
		}
		Map<Long, Optional<ObjectKey>> asked = (question != null) ? question.writes() : Map.of();
		if (question == null || told || question.kind() == DoubtQuestion.Kind.EVERYTHING) {
			return heard(this.questions.find(null, limit()), (answer) -> {
				this.feed.resolved(asked, answer);
				return Optional.of(answer.objects());
			});
		}
		return (question.kind() == DoubtQuestion.Kind.OBJECT)
				? heard(this.questions.find(question.key(), limit()), (answer) -> {
					this.feed.resolved(asked, answer);
					return Optional.empty();
				}) : heard(this.questions.list(limit()), (listing) -> {
					this.feed.listed(asked, listing);
					return Optional.empty();
				});
	}

	/** As long as the most patient of those who wait, or longer. */
	private Duration limit() {
		return this.waiters.stream()
			.map((waiter) -> waiter.deadline().left())
			.filter((left) -> left.compareTo(this.limit) > 0)
			.max(Duration::compareTo)
			.orElse(this.limit);
	}

	private <A> CompletableFuture<Optional<Collection<T>>> heard(CompletableFuture<A> question,
			Function<A, Optional<Collection<T>>> noting) {
		this.sent = question;
		return question.whenComplete((answer, failure) -> {
			this.sent = null;
			if (failure == null) {
				this.limit = LIMIT;
				this.pace.answered();
				return;
			}
			ApiException cause = ApiException.of(failure);
			if (isTooLate(cause)) {
				Duration twice = this.limit.multipliedBy(2);
				this.limit = (twice.compareTo(ApiRequest.DEFAULT_TIMEOUT) < 0) ? twice : ApiRequest.DEFAULT_TIMEOUT;
			}
			this.pace.refused(cause);
		}).thenApply(noting);
	}

	/* The API server knows the limit, and may be the first to notice. */
	private static boolean isTooLate(ApiException failure) {
		return failure.status() == GATEWAY_TIMEOUT || failure.getCause() instanceof TimeoutException;
	}

	/**
	 * Somebody who wants to read.
	 *
	 * @param inDoubt whether there is need to wait, or {@code null} if only an answer
	 * will do
	 * @param deadline how long
	 * @param answer completed when there is something to read
	 */
	private record Waiter<T>(@Nullable Predicate<Overlay<ObjectKey, T>> inDoubt, Deadline deadline,
			CompletableFuture<Optional<Collection<T>>> answer) {

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return System.identityHashCode(this);
		}

	}

}
