package dev.sharding.internal.kubernetes.informer.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.ConfigMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.informer.CaughtUp;
import dev.sharding.internal.kubernetes.informer.InformerTimings;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import dev.sharding.resource.ObjectKey;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An API server that is ahead of the watch.
 */
class SelectedCatchUpsTests {

	private static final LabelQuery RED = query("red");

	private final Store<ConfigMap> store = new Store<>(Set.of(), Map.of(), (event) -> {
	});

	private final StorePart<ConfigMap> part = this.store.parts().get(0);

	private final Ahead upstream = new Ahead();

	private final Refresher refresher = new Refresher(List.of(this.upstream),
			InformerTimings.DEFAULT.withRetry(Duration.ofHours(1), Duration.ofHours(1)), Runnable::run, Runnable::run,
			() -> 0L);

	private final SelectedCatchUps<ConfigMap> catchUps = new SelectedCatchUps<>(this.refresher, this.store);

	SelectedCatchUpsTests() {
		this.part.replace(StorePartTests.listed(1));
	}

	@Test
	void readersOfOneSelectorShareWhatBeginsAfterThem() {
		CompletableFuture<CaughtUp<ConfigMap>> first = this.catchUps.catchUp(RED);
		CompletableFuture<CaughtUp<ConfigMap>> second = this.catchUps.catchUp(query("red"));
		CompletableFuture<CaughtUp<ConfigMap>> third = this.catchUps.catchUp(RED);
		assertThat(this.upstream.asked).hasSize(1);
		this.upstream.answer(0);
		assertThat(first).isCompletedWithValueMatching((caughtUp) -> caughtUp.how() == CatchUp.LIST);
		assertThat(second).isNotDone();
		assertThat(this.upstream.asked).hasSize(2);
		this.upstream.answer(1);
		assertThat(second).isCompleted();
		assertThat(third).isCompleted();
		assertThat(this.catchUps.size()).isZero();
	}

	@Test
	void differentSelectorsDoNotWaitForEachOther() {
		CompletableFuture<?> red = this.catchUps.catchUp(RED);
		CompletableFuture<?> blue = this.catchUps.catchUp(query("blue"));
		assertThat(this.upstream.asked).containsExactly(RED, query("blue"));
		this.upstream.answer(1);
		assertThat(blue).isCompleted();
		assertThat(red).isNotDone();
	}

	@Test
	void theWatermarkStaysAsTheRestMayBeOlder() {
		String before = this.part.watermark();
		CompletableFuture<CaughtUp<ConfigMap>> read = this.catchUps.catchUp(RED);
		this.upstream.answer(0);
		Selected<ConfigMap> selected = Objects.requireNonNull(read.join().selected());
		assertThat(selected.objects()).isEmpty();
		assertThat(selected.version()).isEqualTo(this.upstream.versions.get(0)).isNotEqualTo(before);
		assertThat(this.part.watermark()).isEqualTo(before);
	}

	@Test
	void whereNothingIsWrittenTheNextReadOfASelectorAsksForTheVersionOnly() {
		this.upstream.quiet = true;
		CompletableFuture<CaughtUp<ConfigMap>> first = this.catchUps.catchUp(RED);
		this.upstream.answer(0);
		CaughtUp<ConfigMap> second = this.catchUps.catchUp(RED).join();
		assertThat(second).isEqualTo(new CaughtUp<>(CatchUp.PROBE, first.join().selected()));
		assertThat(this.upstream.asked).containsExactly(RED);
		this.upstream.quiet = false;
		this.catchUps.catchUp(RED);
		assertThat(this.upstream.asked).containsExactly(RED, RED);
	}

	@Test
	void whereNothingIsWrittenTheEighthSelectorListsTheScopeAndMovesTheWatermark() {
		this.upstream.quiet = true;
		for (int i = 1; i < ScopeTurns.SELECTIONS; i++) {
			this.catchUps.catchUp(query("color-" + i));
			this.upstream.answer(i - 1);
		}
		CompletableFuture<CaughtUp<ConfigMap>> eighth = this.catchUps.catchUp(RED);
		assertThat(this.upstream.asked).hasSize(ScopeTurns.SELECTIONS).endsWith((LabelQuery) null);
		this.upstream.answer(ScopeTurns.SELECTIONS - 1);
		assertThat(eighth.join()).isEqualTo(new CaughtUp<>(CatchUp.LIST, null));
		assertThat(this.catchUps.catchUp(RED).join()).isEqualTo(new CaughtUp<>(CatchUp.PROBE, null));
	}

	@Test
	void beyondSomeSelectorsAllShareTheWholeScope() {
		List<CompletableFuture<?>> reads = new ArrayList<>();
		IntStream.range(0, SelectedCatchUps.AT_A_TIME + 5)
			.forEach((i) -> reads.add(this.catchUps.catchUp(query("color-" + i))));
		assertThat(this.catchUps.size()).isEqualTo(SelectedCatchUps.AT_A_TIME);
		assertThat(this.upstream.asked).hasSize(SelectedCatchUps.AT_A_TIME + 1).endsWith((LabelQuery) null);
		reads.forEach((read) -> read.cancel(false));
		assertThat(this.catchUps.size()).isZero();
		assertThat(this.upstream.answers).allMatch(CompletableFuture::isCancelled);
	}

	@Test
	void whoWaitsWhenItIsClosedFails() {
		CompletableFuture<?> waiting = this.catchUps.catchUp(RED);
		this.refresher.close();
		this.catchUps.close();
		assertThat(waiting).isCompletedExceptionally();
		assertThat(this.catchUps.catchUp(RED)).isCompletedExceptionally();
		assertThat(this.upstream.answers).allMatch(CompletableFuture::isCancelled);
	}

	private static LabelQuery query(String color) {
		return new LabelQuery("color=" + color, (labels) -> color.equals(labels.get("color")));
	}

	private final class Ahead implements Upstream {

		private final List<@Nullable LabelQuery> asked = new ArrayList<>();

		private final List<String> versions = new ArrayList<>();

		private final List<CompletableFuture<MetadataSnapshot>> answers = new ArrayList<>();

		private final ScopeTurns turns = new ScopeTurns();

		private boolean quiet;

		private int present = 1_000;

		void answer(int question) {
			LabelQuery query = this.asked.get(question);
			Map<ObjectKey, String> objects = (query != null) ? Map.of()
					: Objects.requireNonNull(SelectedCatchUpsTests.this.part.versions()).objects();
			this.answers.get(question).complete(new MetadataSnapshot(this.versions.get(question), objects));
		}

		@Override
		public StorePart<?> part() {
			return SelectedCatchUpsTests.this.part;
		}

		@Override
		public CompletableFuture<String> presentVersion() {
			this.present += this.quiet ? 0 : 1;
			return CompletableFuture.completedFuture(String.valueOf(this.present));
		}

		@Override
		public CompletableFuture<MetadataSnapshot> versions(@Nullable String notOlderThan, @Nullable LabelQuery query) {
			this.asked.add(query);
			this.versions.add(String.valueOf(notOlderThan));
			CompletableFuture<MetadataSnapshot> answer = new CompletableFuture<>();
			this.answers.add(answer);
			return answer;
		}

		@Override
		public ScopeTurns turns() {
			return this.turns;
		}

		@Override
		public void wake() {
		}

		@Override
		public void reopen() {
		}

		@Override
		public void relist() {
			throw new IllegalStateException("Versions can be compared here");
		}

	}

}
