package dev.sharding.internal.kubernetes.cache.overlay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.ConsistentReadException.Reason;
import dev.sharding.cache.ReadCancellation;
import dev.sharding.client.ApiException;
import dev.sharding.internal.core.overlay.OverlayLimits;
import dev.sharding.internal.core.overlay.OwnChange;
import dev.sharding.internal.core.overlay.OwnWrite;
import dev.sharding.internal.core.overlay.Sight;
import dev.sharding.internal.kubernetes.cache.read.ReadWait;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an API server makes of us whose versions cannot be compared, such as an aggregated
 * one, or that does not answer.
 */
class FeedTests {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private static final ObjectKey KEY = new ObjectKey("ns", "a");

	private static final List<Function<StoreView<ConfigMap>, Object>> READINGS = List.of((view) -> view.get(KEY),
			StoreView::list, (view) -> view.list("ns"), (view) -> view.byIndex("n", "1"));

	private final KubernetesClient client = new KubernetesClientBuilder()
		.withConfig(new ConfigBuilder().withMasterUrl("http://127.0.0.1:1").build())
		.build();

	private final Informer<ConfigMap> informer = new Informer<>(this.client,
			InformerSpec.of(TYPE).withIndex("n", (map) -> List.of(map.getData().get("n"))));

	private final AtomicLong now = new AtomicLong();

	private final Questions questions = new Questions();

	private final CacheOverlay<ConfigMap> overlay = new CacheOverlay<>(this.informer, new ScopedAccess<>(null, ""),
			(namespace) -> this.questions, new QuestionPace(Duration.ofNanos(1), System::nanoTime), this.now::get);

	private final OverlaidStore<ConfigMap> store = new OverlaidStore<>(this.informer, this.overlay,
			new ScopedAccess<>(null, ""));

	@AfterEach
	void close() {
		this.informer.close();
		this.client.close();
	}

	@Test
	void anUncomparableAnswerIsNoFailureAndReadersGetWhatTheApiServerHas() {
		ConfigMap made = configMap("a", "opaque-1", "1");
		this.questions.found = List.of(made, configMap("b", "opaque-2", "2"));
		this.questions.version = "opaque-9";
		assertThat(write(made)).isSameAs(made);
		assertThat(this.store.get(KEY)).isEqualTo(made);
		assertThat(this.store.list()).hasSize(2);
		assertThat(this.store.list("ns")).hasSize(2);
		assertThat(this.store.list("other")).isEmpty();
		assertThat(this.store.byIndex("n", "1")).containsExactly(made);
		assertThat(this.questions.asked).isLessThan(12);
	}

	@Test
	void anUncomparableAnswerIsForgottenWhenTheListCanBeCompared() {
		ConfigMap made = configMap("a", "opaque-1", "1");
		this.questions.found = List.of(configMap("a", "7", "1"));
		this.questions.version = "9";
		write(made);
		assertThat(this.store.get(KEY)).isEqualTo(configMap("a", "7", "1"));
		assertThat(this.store.list()).hasSize(1);
		assertThat(this.questions.asked).isEqualTo(1);
	}

	@Test
	void anAnswerThatCannotBeNotedIsNoFailure() {
		ConfigMap nameless = new ConfigMapBuilder().withNewMetadata().withResourceVersion("5").endMetadata().build();
		assertThat(write(nameless)).isSameAs(nameless);
	}

	@Test
	void anAnswerThatShowsAnotherOwnerIsToldAtOnce() {
		CacheOverlay<ConfigMap> ours = new CacheOverlay<>(this.informer, new ScopedAccess<>("shard", "s1"),
				(namespace) -> this.questions, this.now::get);
		List<ConfigMap> left = new ArrayList<>();
		ours.addLeftListener(left::add);
		ConfigMap mine = ownedBy("s1");
		ConfigMap others = ownedBy("s2");
		ours.write("ns", new OwnWrite.Update<>("writer", KEY, "4", OwnChange.unknown()), () -> mine, null);
		ours.handIn(mine);
		ours.handInSeen(mine);
		assertThat(left).isEmpty();
		ours.write("ns", new OwnWrite.Update<>("writer", KEY, "4", OwnChange.unknown()), () -> others, null);
		ours.handIn(others);
		ours.handInSeen(others);
		assertThat(left).containsExactly(others, others, others);
	}

	private static ConfigMap ownedBy(String shard) {
		return new ConfigMapBuilder(configMap("a", "5", "1")).editMetadata()
			.addToLabels("shard", shard)
			.endMetadata()
			.build();
	}

	@Test
	void whoReadsInDoubtLearnsThatNobodyAnswers() {
		unknown();
		this.questions.failure = new ApiException(503, "ServiceUnavailable", null, "Failed to list: 503", null);
		assertThatExceptionOfType(ApiException.class).isThrownBy(() -> this.store.get(KEY));
		assertThatExceptionOfType(ApiException.class).isThrownBy(() -> this.store.list());
		assertThat(this.store.get(new ObjectKey("ns", "other"))).isNull();
		this.questions.failure = null;
		assertThat(this.store.get(KEY)).isNull();
		assertThat(this.overlay.status().entries()).as("absent at that version").isEqualTo(1);
	}

	@Test
	void whatDoesNotFitItsClassIsNotAbsent() {
		unknown();
		this.questions.unfit = Set.of(KEY);
		this.questions.version = "9";
		assertThat(this.store.get(KEY)).isNull();
		assertThat(this.overlay.status().entries()).as("nothing is held against what the store has").isZero();
	}

	@Test
	void whatNobodyWasEverShownIsNotKeptForEver() {
		write(configMap("a", "5", "1"));
		tick();
		assertThat(this.overlay.status().entries()).isEqualTo(1);
		assertThat(this.overlay.status().awaited()).isEqualTo(1);
		this.now.addAndGet(OverlayLimits.defaults().stuck().toNanos());
		tick();
		assertThat(this.overlay.status().isEmpty()).isTrue();
	}

	@Test
	void aTickAsksOnceUntilItIsAnsweredAndAgainAfterAFailure() {
		unknown();
		CompletableFuture<ScopeQuestions.Answer<ConfigMap>> answer = new CompletableFuture<>();
		this.questions.pending = answer;
		tick();
		tick();
		assertThat(this.questions.found()).isEqualTo(1);
		answer.completeExceptionally(new ApiException(0, "", null, "no answer", null));
		this.questions.pending = CompletableFuture
			.completedFuture(new ScopeQuestions.Answer<>(List.of(configMap("a", "5", "1")), Set.of(), "6"));
		tick();
		assertThat(this.questions.found()).isEqualTo(2);
		tick();
		assertThat(this.questions.found()).isEqualTo(2);
		assertThat(this.store.get(KEY)).isEqualTo(configMap("a", "5", "1"));
	}

	@Test
	void aTickGoesOnWhenAQuestionCannotEvenBeAsked() {
		unknown();
		this.questions.pending = null;
		tick();
		this.questions.pending = CompletableFuture
			.completedFuture(new ScopeQuestions.Answer<>(List.of(configMap("a", "5", "1")), Set.of(), "6"));
		tick();
		assertThat(this.store.get(KEY)).isEqualTo(configMap("a", "5", "1"));
	}

	@Test
	void tellsWhenTicksHaveSomethingToDoUntilAllIsSettled() {
		AtomicLong told = new AtomicLong();
		this.overlay.whenBusy(told::incrementAndGet);
		tick();
		assertThat(this.overlay.isAtRest()).isTrue();
		assertThat(told).hasValue(0);
		unknown();
		assertThat(this.overlay.isAtRest()).isFalse();
		assertThat(told).hasPositiveValue();
		this.questions.pending = CompletableFuture
			.completedFuture(new ScopeQuestions.Answer<>(List.of(configMap("a", "5", "1")), Set.of(), "6"));
		tick();
		assertThat(this.overlay.isAtRest()).as("the watch is not there yet").isFalse();
		this.overlay.feeds().forEach((feed) -> feed.bookmark("6"));
		tick();
		assertThat(this.overlay.isAtRest()).isTrue();
		this.overlay.handIn(configMap("a", "7", "1"));
		assertThat(this.overlay.isAtRest()).isFalse();
	}

	@Test
	void aDeleteIsCoveredByAVersionThatIsAskedFor() {
		this.overlay.write("ns", new OwnWrite.Delete<>("writer", KEY, "u", "5"), () -> null, "u");
		tick();
		assertThat(this.questions.versions).isZero();
		this.now.addAndGet(Duration.ofSeconds(31).toNanos());
		tick();
		assertThat(this.questions.versions).isEqualTo(1);
	}

	@Test
	void aDeleteWithoutAnOrderOfVersionsIsInDoubtUntilTheApiServerAndTheStoreAgree() {
		this.questions.pending = CompletableFuture
			.completedFuture(new ScopeQuestions.Answer<>(List.of(), Set.of(), "opaque-9"));
		this.overlay.write("ns", new OwnWrite.Delete<>("writer", KEY, "u", "opaque-1"), () -> null, "u");
		assertThat(this.overlay.isAtRest()).isFalse();
		for (int i = 0; i < 5; i++) {
			tick();
		}
		assertThat(this.overlay.status().isEmpty()).isTrue();
		assertThat(this.questions.found()).isBetween(1, 2);
	}

	/** Its answer ends the doubt for those who come later. */
	@Test
	void whoReadsInDoubtWaitsNoLongerThanItsDeadlineAndTheQuestionStays() {
		unknown();
		this.questions.silent = true;
		for (Function<StoreView<ConfigMap>, Object> reading : READINGS) {
			ReadWait wait = new ReadWait(TYPE, System::nanoTime, Duration.ofMillis(50), null);
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> reading.apply(this.store.within(wait)))
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.DEADLINE));
			assertThat(this.questions.limit).as("its own").isEqualTo(DoubtResolver.LIMIT);
		}
		assertOneQuestionThatEndsTheDoubt();
	}

	@Test
	void whoReadsInDoubtCanBeCancelledAndTheQuestionStays() {
		unknown();
		this.questions.silent = true;
		for (Function<StoreView<ConfigMap>, Object> reading : READINGS) {
			ReadCancellation cancellation = new ReadCancellation();
			ReadWait wait = new ReadWait(TYPE, System::nanoTime, Duration.ofMinutes(1), cancellation);
			CompletableFuture<Object> read = CompletableFuture
				.supplyAsync(() -> reading.apply(this.store.within(wait)));
			cancellation.cancel();
			assertThat(read).failsWithin(Duration.ofSeconds(30))
				.withThrowableThat()
				.havingCause()
				.isInstanceOfSatisfying(ConsistentReadException.class,
						(ex) -> assertThat(ex.reason()).isEqualTo(Reason.CANCELLED));
		}
		assertOneQuestionThatEndsTheDoubt();
	}

	/** The next one would wait for its end. */
	@Test
	void aQuestionIsCalledOffWhenTheDoubtHasEndedAndNobodyNeedsIt() {
		unknown();
		this.questions.silent = true;
		readFor(Duration.ofMillis(50));
		CompletableFuture<?> hanging = this.questions.question;
		assertThat(hanging).as("in doubt").isNotDone();
		Feed<ConfigMap> feed = this.overlay.feed("ns");
		feed.resolved(feed.question().writes(),
				new ScopeQuestions.Answer<>(List.of(configMap("a", "5", "1")), Set.of(), "6"));
		assertThat(hanging).isCancelled();
		this.questions.silent = false;
		this.questions.found = List.of(configMap("a", "7", "1"));
		unknown();
		assertThat(this.store.get(KEY)).isEqualTo(configMap("a", "7", "1"));
		assertThat(this.questions.asked).isEqualTo(2);
	}

	@Test
	void aQuestionMayTakeAsLongAsTheMostPatientReaderWaits() {
		unknown();
		this.questions.silent = true;
		ReadCancellation cancellation = new ReadCancellation();
		this.questions.whenAsked = cancellation::cancel;
		ReadWait patient = new ReadWait(TYPE, System::nanoTime, Duration.ofMinutes(1), cancellation);
		assertThatExceptionOfType(ConsistentReadException.class).isThrownBy(() -> this.store.within(patient).get(KEY));
		assertThat(this.questions.limit).isBetween(Duration.ofSeconds(6), Duration.ofMinutes(1));
	}

	@Test
	void theNextQuestionMayTakeLongerAfterAnAnswerThatWasTooLate() {
		unknown();
		this.questions.silent = true;
		List<Duration> limits = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			readFor(Duration.ofMillis(50));
			limits.add(this.questions.limit);
			this.questions.question
				.completeExceptionally((i % 2 == 0) ? new ApiException(0, "", null, "no answer", new TimeoutException())
						: new ApiException(504, "Timeout", null, "too late", null));
		}
		assertThat(limits).extracting(Duration::toSeconds).containsExactly(5L, 10L, 20L, 30L);
		readFor(Duration.ofMillis(50));
		this.questions.question.complete(new ScopeQuestions.Answer<>(List.of(), Set.of(), "9"));
		unknown();
		readFor(Duration.ofMillis(50));
		assertThat(this.questions.limit).as("after an answer").isEqualTo(DoubtResolver.LIMIT);
	}

	private void readFor(Duration patience) {
		ReadWait wait = new ReadWait(TYPE, System::nanoTime, patience, null);
		assertThatExceptionOfType(ConsistentReadException.class).isThrownBy(() -> this.store.within(wait).get(KEY));
	}

	private void assertOneQuestionThatEndsTheDoubt() {
		assertThat(this.questions.question).isNotDone();
		this.questions.question
			.complete(new ScopeQuestions.Answer<>(List.of(configMap("a", "5", "1")), Set.of(), this.questions.version));
		assertThat(this.store.get(KEY)).isEqualTo(configMap("a", "5", "1"));
		assertThat(this.store.list()).hasSize(1);
		assertThat(this.questions.asked).isOne();
	}

	@Test
	void whatAReaderSeesIsKnownWithoutAsking() {
		Sight<ObjectKey, ConfigMap> absent = new Sight.Known<>(null);
		assertThat(this.store.sight(KEY)).isEqualTo(absent);
		ConfigMap made = write(configMap("a", "5", "1"));
		assertThat(this.store.sight(KEY)).as("written").isEqualTo(new Sight.Known<>(made));
		assertThat(this.store.sight(new ObjectKey("ns", "b"))).isEqualTo(absent);
		this.overlay.write("ns", new OwnWrite.Delete<>("writer", KEY, "u-a", "5"), () -> null, "u-a");
		assertThat(this.store.sight(KEY)).as("deleted").isEqualTo(absent);
		unknown();
		assertThat(this.store.sight(KEY)).as("in doubt").isInstanceOf(Sight.AskServer.class);
		assertThat(this.questions.asked).isZero();
	}

	@Test
	void whatWasFoundGoneIsNotSeenAgainButItsNamesakeIs() {
		ConfigMap last = configMap("a", "5", "1");
		this.overlay.handIn(last);
		this.overlay.handInGone(last);
		assertThat(this.store.get(KEY)).isNull();
		this.overlay.handIn(configMap("a", "7", "1"));
		assertThat(this.store.get(KEY)).as("a late answer about the same object").isNull();
		ConfigMap namesake = new ConfigMapBuilder(configMap("a", "9", "1")).editMetadata()
			.withUid("another")
			.endMetadata()
			.build();
		this.overlay.handIn(namesake);
		assertThat(this.store.get(KEY)).isEqualTo(namesake);
		assertThat(this.questions.asked).isZero();
	}

	@Test
	void whatWasFoundGoneIsNotNotedIfVersionsCannotBeCompared() {
		this.overlay.handInGone(configMap("a", "opaque-1", "1"));
		assertThat(this.overlay.status().isEmpty()).isTrue();
	}

	private void tick() {
		this.questions.ticking = true;
		this.overlay.tick();
		this.questions.ticking = false;
	}

	private ConfigMap write(ConfigMap answer) {
		return this.overlay.write("ns", new OwnWrite.Update<>("writer", KEY, "4", OwnChange.unknown()), () -> answer,
				null);
	}

	private void unknown() {
		assertThatExceptionOfType(ApiException.class)
			.isThrownBy(() -> this.overlay.write("ns", new OwnWrite.Create<>("writer", KEY, (key) -> false), () -> {
				throw new ApiException(0, "", null, "Failed to create: no answer", null);
			}, null));
	}

	private static ConfigMap configMap(String name, String version, String n) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace("ns")
			.withName(name)
			.withUid("u-" + name)
			.withResourceVersion(version)
			.endMetadata()
			.addToData("n", n)
			.build();
	}

	/**
	 * An API server in memory.
	 */
	private static final class Questions implements ScopeQuestions<ConfigMap> {

		private Collection<ConfigMap> found = List.of();

		private String version = "9";

		private ApiException failure;

		private Set<ObjectKey> unfit = Set.of();

		private CompletableFuture<Answer<ConfigMap>> pending = new CompletableFuture<>();

		private boolean ticking;

		private boolean silent;

		private Runnable whenAsked = () -> {
		};

		private @Nullable Duration limit;

		private CompletableFuture<Answer<ConfigMap>> question = new CompletableFuture<>();

		private int asked;

		private int versions;

		private final List<CompletableFuture<Answer<ConfigMap>>> finds = new ArrayList<>();

		int found() {
			return this.finds.size();
		}

		@Override
		public CompletableFuture<Answer<ConfigMap>> find(@Nullable ObjectKey key, Duration limit) {
			if (this.ticking) {
				this.finds.add(this.pending);
				return this.pending;
			}
			this.asked++;
			this.limit = limit;
			if (this.silent) {
				this.question = new CompletableFuture<>();
				this.whenAsked.run();
				return this.question;
			}
			if (this.failure != null) {
				return CompletableFuture.failedFuture(this.failure);
			}
			return CompletableFuture.completedFuture(new Answer<>(
					this.found.stream().filter((map) -> key == null || ObjectKey.of(map).equals(key)).toList(),
					this.unfit, this.version));
		}

		@Override
		public CompletableFuture<Listing> list(Duration limit) {
			return find(null, limit).thenApply((answer) -> {
				Map<ObjectKey, String> versions = new HashMap<>();
				answer.objects()
					.forEach((map) -> versions.put(ObjectKey.of(map), map.getMetadata().getResourceVersion()));
				return new Listing(versions, answer.version());
			});
		}

		@Override
		public CompletableFuture<String> version() {
			this.versions++;
			return new CompletableFuture<>();
		}

	}

}
