package dev.sharding.internal.kubernetes.fence;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SentWritesTests {

	private static final Executor OWN_THREAD = (task) -> new Thread(task).start();

	private static final Duration LEASE = Duration.ofSeconds(15);

	private final AtomicLong now = new AtomicLong();

	private final SentWrites writes = new SentWrites(this.now::get);

	@Test
	void allIsAnsweredAtFirst() throws Exception {
		assertThat(unanswered()).isNull();
	}

	@Test
	void whatIsUnderWayIsNotAnswered() throws Exception {
		Consumer<Boolean> end = this.writes.sending();
		assertThat(unanswered()).isZero();
		end.accept(true);
		assertThat(unanswered()).isNull();
	}

	@Test
	void aWriteWithoutAnAnswerCountsUntilTheObjectsAreTouched() throws Exception {
		this.writes.begin("a");
		this.writes.sending().accept(false);
		this.writes.sending().accept(true);
		assertThat(this.writes.awaitAnswers(Duration.ofDays(1), LEASE)).isZero();
		this.writes.begin("a");
		assertThat(unanswered()).isZero();
		this.writes.touched();
		assertThat(unanswered()).isNull();
	}

	@Test
	void tellsHowLongAgoTheLastWriteWasGivenUp() throws Exception {
		this.writes.sending().accept(false);
		this.now.addAndGet(Duration.ofSeconds(10).toNanos());
		this.writes.sending().accept(false);
		this.now.addAndGet(Duration.ofSeconds(20).toNanos());
		assertThat(unanswered()).hasSeconds(20);
		Consumer<Boolean> end = this.writes.sending();
		assertThat(unanswered()).isZero();
		end.accept(true);
		assertThat(unanswered()).hasSeconds(20);
	}

	@Test
	void waitsForNobodyAfterAnAnswerThatWasMissedLately() throws Exception {
		this.writes.sending();
		this.writes.sending().accept(false);
		this.now.addAndGet(Duration.ofSeconds(14).toNanos());
		assertThat(this.writes.awaitAnswers(Duration.ofDays(1), LEASE)).hasSeconds(14);
	}

	@Test
	void theFirstWordAboutAWriteCounts() throws Exception {
		Consumer<Boolean> end = this.writes.sending();
		end.accept(true);
		end.accept(false);
		assertThat(unanswered()).isNull();
	}

	@Test
	void whatWasSentForAnotherShardCountsWhenTheProcessIsThatShardAgain() throws Exception {
		this.writes.begin("a");
		Consumer<Boolean> late = this.writes.sending();
		this.writes.begin("b");
		Consumer<Boolean> end = this.writes.sending();
		late.accept(false);
		this.now.addAndGet(LEASE.toNanos());
		assertThat(unanswered()).isZero();
		end.accept(true);
		assertThat(unanswered()).isNull();
		this.writes.touched();
		this.writes.begin("a");
		assertThat(unanswered()).isEqualTo(LEASE);
		this.writes.touched();
		this.writes.begin("b");
		this.writes.begin("a");
		assertThat(unanswered()).isNull();
	}

	@Test
	void waitsForTheAnswer() throws Exception {
		Consumer<Boolean> end = this.writes.sending();
		CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
			try {
				return this.writes.awaitAnswers(Duration.ofMinutes(1), LEASE) == null;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}, OWN_THREAD);
		end.accept(true);
		assertThat(waiting).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true);
	}

	private @Nullable Duration unanswered() throws InterruptedException {
		return this.writes.awaitAnswers(Duration.ZERO, LEASE);
	}

}
