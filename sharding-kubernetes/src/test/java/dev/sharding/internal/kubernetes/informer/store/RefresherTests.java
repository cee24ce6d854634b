package dev.sharding.internal.kubernetes.informer.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.informer.InformerTimings;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import io.fabric8.kubernetes.api.model.ConfigMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An API server that asks to come again later.
 */
class RefresherTests {

	private final Store<ConfigMap> store = new Store<>(Set.of(), Map.of(), (event) -> {
	});

	private final Refusing upstream = new Refusing();

	private final Refresher refresher = new Refresher(List.of(this.upstream),
			InformerTimings.DEFAULT.withRetry(Duration.ofMillis(10), Duration.ofMillis(10)), Runnable::run,
			Runnable::run, () -> 0L);

	@Test
	void comesAgainWhenItIsAskedToAndThenTellsWhen() {
		this.upstream.retryAfter = Duration.ofMillis(300);
		assertRefused(this.refresher.catchUp());
		assertThat(this.upstream.asked).hasSize(3);
		for (int i = 1; i < 3; i++) {
			assertThat(this.upstream.asked.get(i) - this.upstream.asked.get(i - 1))
				.isGreaterThanOrEqualTo(Duration.ofMillis(290).toNanos());
		}
	}

	@Test
	void tellsAtOnceIfThatIsFarOff() {
		this.upstream.retryAfter = Duration.ofMinutes(1);
		assertRefused(this.refresher.catchUp());
		assertThat(this.upstream.asked).hasSize(1);
	}

	@Test
	void whoPausesAfterAnOutageGoesOnWhenSomebodyElseWasAnswered() {
		this.upstream.retryAfter = Duration.ofHours(1);
		CompletableFuture<Void> refreshed = this.refresher.refresh((failure) -> {
		});
		assertThat(this.upstream.asked).hasSize(1);
		assertThat(refreshed).isNotDone();
		this.store.parts().get(0).replace(StorePartTests.listed(1));
		this.upstream.present = this.store.parts().get(0).watermark();
		assertThat(this.refresher.catchUp()).succeedsWithin(Duration.ofSeconds(20));
		assertThat(refreshed).succeedsWithin(Duration.ofSeconds(20));
	}

	@Test
	void whoPausesAfterAnOutageIsToldAtOnceWhenAllIsClosed() {
		this.upstream.retryAfter = Duration.ofHours(1);
		CompletableFuture<Void> refreshed = this.refresher.refresh((failure) -> {
		});
		assertThat(refreshed).isNotDone();
		this.refresher.close();
		assertThat(refreshed).isCompletedExceptionally();
	}

	@Test
	void whoHearsOfAFailureAsAllIsClosedDoesNotPause() {
		this.upstream.retryAfter = Duration.ofHours(1);
		CompletableFuture<Void> refreshed = this.refresher.refresh((failure) -> this.refresher.close());
		assertThat(refreshed).isCompletedExceptionally();
	}

	/** The answer comes in on an event loop, which others need. */
	@Test
	void whatFollowsFromAnAnswerDoesNotRunWhereTheAnswerComesIn() {
		List<Runnable> steps = new ArrayList<>();
		Late late = new Late(this.store.parts().get(0));
		Refresher careful = new Refresher(List.of(late), InformerTimings.DEFAULT, Runnable::run, steps::add, () -> 0L);
		CompletableFuture<CatchUp> reached = careful.catchUp();
		late.present.complete("5");
		assertThat(late.asked).isFalse();
		steps.remove(0).run();
		assertThat(late.asked).isTrue();
		late.versions.complete(new MetadataSnapshot("5", Map.of()));
		late.part.replace(StorePartTests.listed(1));
		assertThat(reached).isNotDone();
		steps.remove(0).run();
		assertThat(reached).isCompletedWithValue(CatchUp.LIST);
	}

	private void assertRefused(CompletableFuture<CatchUp> reached) {
		assertThat(reached).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(ApiException.class,
					(cause) -> assertThat(cause.retryAfter()).isEqualTo(this.upstream.retryAfter));
	}

	private static final class Late implements Upstream {

		private final CompletableFuture<String> present = new CompletableFuture<>();

		private final CompletableFuture<MetadataSnapshot> versions = new CompletableFuture<>();

		private final StorePart<ConfigMap> part;

		private boolean asked;

		Late(StorePart<ConfigMap> part) {
			this.part = part;
		}

		@Override
		public StorePart<?> part() {
			return this.part;
		}

		@Override
		public CompletableFuture<String> presentVersion() {
			return this.present;
		}

		@Override
		public CompletableFuture<MetadataSnapshot> versions(@Nullable String notOlderThan, @Nullable LabelQuery query) {
			this.asked = true;
			return this.versions;
		}

		@Override
		public void reopen() {
		}

		@Override
		public ScopeTurns turns() {
			return new ScopeTurns();
		}

		@Override
		public void wake() {
		}

		@Override
		public void relist() {
		}

	}

	private final class Refusing implements Upstream {

		private final List<Long> asked = new ArrayList<>();

		private Duration retryAfter = Duration.ZERO;

		private @Nullable String present;

		@Override
		public StorePart<?> part() {
			return RefresherTests.this.store.parts().get(0);
		}

		@Override
		public CompletableFuture<String> presentVersion() {
			this.asked.add(System.nanoTime());
			if (this.present != null) {
				return CompletableFuture.completedFuture(this.present);
			}
			return CompletableFuture
				.failedFuture(new ApiException(429, "TooManyRequests", this.retryAfter, "Failed to list: 429", null));
		}

		@Override
		public CompletableFuture<MetadataSnapshot> versions(@Nullable String notOlderThan, @Nullable LabelQuery query) {
			throw new IllegalStateException("The probe is refused");
		}

		@Override
		public ScopeTurns turns() {
			return new ScopeTurns();
		}

		@Override
		public void wake() {
		}

		@Override
		public void reopen() {
			throw new IllegalStateException("Nothing is open");
		}

		@Override
		public void relist() {
			throw new IllegalStateException("Nothing is compared");
		}

	}

}
