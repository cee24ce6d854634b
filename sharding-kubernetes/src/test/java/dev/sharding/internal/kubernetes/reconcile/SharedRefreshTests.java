package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SharedRefreshTests {

	private final List<CompletableFuture<Void>> begun = new CopyOnWriteArrayList<>();

	private final SharedRefresh refresh = new SharedRefresh(() -> {
		CompletableFuture<Void> flight = new CompletableFuture<>();
		this.begun.add(flight);
		return flight;
	}, System::nanoTime);

	@Test
	void beginsAtOnceAndSharesTheNextOne() {
		CompletableFuture<Void> first = this.refresh.get();
		assertThat(this.begun).hasSize(1);
		CompletableFuture<Void> second = this.refresh.get();
		CompletableFuture<Void> third = this.refresh.get();
		assertThat(third).isSameAs(second).isNotSameAs(first);
		assertThat(this.begun).hasSize(1);
		this.begun.get(0).complete(null);
		assertThat(first).isCompleted();
		assertThat(second).isNotDone();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.begun.size() == 2);
		this.begun.get(1).complete(null);
		assertThat(second).succeedsWithin(Duration.ofSeconds(30));
	}

	@Test
	void whoAsksWhileOneIsUnderWayDoesNotGetThatOne() {
		CompletableFuture<Void> first = this.refresh.get();
		CompletableFuture<Void> late = this.refresh.get();
		this.begun.get(0).complete(null);
		assertThat(first).isCompleted();
		assertThat(late).isNotDone();
	}

	@Test
	void aFailureConcernsThoseWhoAskedOnly() {
		CompletableFuture<Void> first = this.refresh.get();
		this.begun.get(0).completeExceptionally(new IllegalStateException("planned"));
		assertThat(first).isCompletedExceptionally();
		CompletableFuture<Void> second = this.refresh.get();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.begun.size() == 2);
		this.begun.get(1).complete(null);
		assertThat(second).succeedsWithin(Duration.ofSeconds(30));
	}

	@Test
	void survivesARefreshThatCannotBegin() {
		boolean[] broken = { true };
		SharedRefresh fragile = new SharedRefresh(() -> {
			if (broken[0]) {
				throw new IllegalStateException("planned");
			}
			return CompletableFuture.completedFuture(null);
		}, System::nanoTime);
		assertThat(fragile.get()).isCompletedExceptionally();
		broken[0] = false;
		assertThat(fragile.get()).succeedsWithin(Duration.ofSeconds(30));
	}

}
