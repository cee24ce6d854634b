package dev.sharding.internal.sharder.app.management;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.sharding.internal.sharder.app.management.AccessReviews.Verdict;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AccessAnswersTests {

	private static final int BURST = (int) AccessAnswers.STRANGERS.burst();

	private long now;

	private final AccessAnswers answers = new AccessAnswers(() -> this.now);

	private final List<CompletableFuture<Verdict>> asked = new ArrayList<>();

	@Test
	void strangersShareABudgetOfQuestions() {
		for (int i = 0; i < 1000; i++) {
			assertThat(ask("stranger-" + i, Verdict.UNKNOWN))
				.isEqualTo((i < BURST) ? Verdict.UNKNOWN : Verdict.TOO_MANY);
		}
		assertThat(this.asked).hasSize(BURST);
		// What is known is told to everybody.
		assertThat(ask("stranger-0", Verdict.ALLOWED)).isEqualTo(Verdict.UNKNOWN);
		pass(Duration.ofSeconds(1));
		for (int i = 0; i < 1000; i++) {
			ask("another-" + i, Verdict.UNKNOWN);
		}
		assertThat(this.asked).hasSize(BURST + (int) AccessAnswers.STRANGERS.qps());
	}

	@Test
	void whoeverWasAllowedIsAskedAboutThoughStrangersTakeAll() {
		assertThat(ask("reader", Verdict.ALLOWED)).isEqualTo(Verdict.ALLOWED);
		for (int second = 0; second < 300; second++) {
			pass(Duration.ofSeconds(1));
			for (int i = 0; i < 50; i++) {
				ask("stranger-" + second + "-" + i, Verdict.UNKNOWN);
			}
			assertThat(ask("reader", Verdict.ALLOWED)).isEqualTo(Verdict.ALLOWED);
		}
		// Once it was told that he may not, he is a stranger.
		pass(AccessAnswers.ALLOWED_FOR);
		assertThat(ask("reader", Verdict.FORBIDDEN)).isEqualTo(Verdict.FORBIDDEN);
	}

	@Test
	void fewAreOpenAtATime() {
		List<CompletableFuture<Verdict>> open = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			pass(Duration.ofSeconds(1));
			open.add(this.answers.of("stranger-" + i, this::begin).toCompletableFuture());
		}
		assertThat(this.asked).hasSize(AccessAnswers.MOST_OPEN);
		assertThat(open.get(99)).isCompletedWithValue(Verdict.TOO_MANY);
		// One question is asked once, by however many.
		assertThat(this.answers.of("stranger-0", this::begin).toCompletableFuture()).isNotDone();
		this.asked.get(0).complete(Verdict.ALLOWED);
		assertThat(open.get(0)).isCompletedWithValue(Verdict.ALLOWED);
		this.asked.get(1).completeExceptionally(new IllegalStateException());
		assertThat(open.get(1)).isCompletedExceptionally();
		assertThat(ask("stranger-1", Verdict.FORBIDDEN)).isEqualTo(Verdict.FORBIDDEN);
		assertThat(this.asked).hasSize(AccessAnswers.MOST_OPEN + 1);
	}

	@Test
	void aQuestionThatCannotBeAskedKeepsNoPlace() {
		for (int i = 0; i < 2 * AccessAnswers.MOST_OPEN; i++) {
			pass(Duration.ofSeconds(1));
			assertThat(this.answers.of("stranger-" + i, () -> {
				throw new IllegalStateException("planned");
			}).toCompletableFuture()).isCompletedExceptionally();
		}
		assertThat(ask("reader", Verdict.ALLOWED)).isEqualTo(Verdict.ALLOWED);
	}

	@Test
	void isWithinItsBoundsWhenAllAreAllowed() {
		for (int i = 0; i < 3 * AccessAnswers.MOST; i++) {
			pass(Duration.ofSeconds(1));
			assertThat(ask("reader-" + i, Verdict.ALLOWED)).isEqualTo(Verdict.ALLOWED);
		}
		int before = this.asked.size();
		assertThat(ask("reader-0", Verdict.ALLOWED)).isEqualTo(Verdict.ALLOWED);
		assertThat(this.asked).hasSize(before + 1);
	}

	private Verdict ask(String question, Verdict answer) {
		return this.answers.of(question, () -> {
			CompletableFuture<Verdict> begun = begin();
			begun.complete(answer);
			return begun;
		}).toCompletableFuture().join();
	}

	private CompletableFuture<Verdict> begin() {
		CompletableFuture<Verdict> begun = new CompletableFuture<>();
		this.asked.add(begun);
		return begun;
	}

	private void pass(Duration time) {
		this.now += time.toNanos();
	}

}
