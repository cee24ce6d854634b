package dev.sharding.internal.kubernetes.fence;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SentWritesTests {

	private static final Executor OWN_THREAD = (task) -> new Thread(task).start();

	private final SentWrites writes = new SentWrites(System::nanoTime);

	@Test
	void allIsAnsweredAtFirst() throws Exception {
		assertThat(this.writes.awaitAnswers(Duration.ZERO)).isTrue();
	}

	@Test
	void whatIsUnderWayIsNotAnswered() throws Exception {
		Consumer<Boolean> end = this.writes.sending();
		assertThat(this.writes.awaitAnswers(Duration.ZERO)).isFalse();
		end.accept(true);
		assertThat(this.writes.awaitAnswers(Duration.ZERO)).isTrue();
	}

	@Test
	void aWriteWithoutAnAnswerCountsUntilTheObjectsAreTouched() throws Exception {
		this.writes.begin("a");
		this.writes.sending().accept(false);
		this.writes.sending().accept(true);
		assertThat(this.writes.awaitAnswers(Duration.ofDays(1))).isFalse();
		this.writes.begin("a");
		assertThat(this.writes.awaitAnswers(Duration.ZERO)).isFalse();
		this.writes.touched();
		assertThat(this.writes.awaitAnswers(Duration.ZERO)).isTrue();
	}

	@Test
	void theFirstWordAboutAWriteCounts() throws Exception {
		Consumer<Boolean> end = this.writes.sending();
		end.accept(true);
		end.accept(false);
		assertThat(this.writes.awaitAnswers(Duration.ZERO)).isTrue();
	}

	@Test
	void whatWasSentForAnotherShardChangesNothing() throws Exception {
		this.writes.begin("a");
		Consumer<Boolean> late = this.writes.sending();
		this.writes.begin("b");
		Consumer<Boolean> end = this.writes.sending();
		late.accept(false);
		assertThat(this.writes.awaitAnswers(Duration.ZERO)).isFalse();
		end.accept(true);
		assertThat(this.writes.awaitAnswers(Duration.ZERO)).isTrue();
	}

	@Test
	void waitsForTheAnswer() throws Exception {
		Consumer<Boolean> end = this.writes.sending();
		CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
			try {
				return this.writes.awaitAnswers(Duration.ofMinutes(1));
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}, OWN_THREAD);
		end.accept(true);
		assertThat(waiting).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true);
	}

}
