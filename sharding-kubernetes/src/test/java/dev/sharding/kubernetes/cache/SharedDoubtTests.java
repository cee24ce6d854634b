package dev.sharding.kubernetes.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.ConfigMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.core.overlay.OwnChange;
import dev.sharding.core.overlay.OwnWrite;
import dev.sharding.kubernetes.cache.HttpAnswers.Answer;
import dev.sharding.kubernetes.informer.Informer;
import dev.sharding.kubernetes.informer.InformerSpec;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Many who read what is in doubt cost one question at a time, and none before the API
 * server wants to be asked again.
 */
class SharedDoubtTests {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private static final String FOUND = """
			{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"9"},"items":[
			{"metadata":{"namespace":"ns","name":"a-0","uid":"u","resourceVersion":"7"}}]}""";

	private final ExecutorService readers = Executors.newFixedThreadPool(10);

	@AfterEach
	void close() {
		this.readers.shutdownNow();
	}

	@Test
	void nobodyAsksBeforeTheApiServerWantsToBeAskedAgain() {
		try (Cache cache = new Cache(HttpAnswers.refusal(429, 2), HttpAnswers.refusal(503, 2), HttpAnswers.ok(FOUND))) {
			cache.doubt("a-0");
			List<CompletableFuture<ConfigMap>> reads = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				reads.add(CompletableFuture.supplyAsync(() -> cache.store.get(key("a-0")), this.readers));
			}
			assertThat(reads).allSatisfy((read) -> assertThat(read).succeedsWithin(Duration.ofSeconds(30))
				.satisfies((map) -> assertThat(map.getMetadata().getResourceVersion()).isEqualTo("7")));
			assertThat(cache.server.arrivals).as("for ten readers").hasSize(3);
			assertThat(cache.server.pauses()).allMatch((pause) -> pause.compareTo(Duration.ofSeconds(2)) >= 0);
		}
	}

	@Test
	void whoWouldNotWaitThatLongFailsAtOnceAndLearnsWhenToComeAgain() {
		try (Cache cache = new Cache(HttpAnswers.refusal(429, 120))) {
			cache.doubt("a-0");
			for (int i = 0; i < 10; i++) {
				assertThatExceptionOfType(ApiException.class).isThrownBy(() -> cache.store.list())
					.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(Duration.ofMinutes(2)));
			}
			cache.store.overlay().tick();
			assertThat(cache.server.arrivals).hasSize(1);
		}
	}

	/** Each question was cut off by its readers, and the next began. */
	@Test
	void aQuestionOutlastsTheReadersWhoHaveLessPatienceThanItTakes() {
		CountDownLatch impatient = new CountDownLatch(3);
		try (Cache cache = new Cache(HttpAnswers.ok(FOUND))) {
			cache.server.meanwhile = () -> await(impatient);
			cache.doubt("a-0");
			while (impatient.getCount() > 0) {
				assertThatExceptionOfType(ConsistentReadException.class)
					.isThrownBy(() -> cache.read("a-0", Duration.ofMillis(50)));
				impatient.countDown();
			}
			Awaitility.await()
				.atMost(Duration.ofSeconds(20))
				.ignoreExceptions()
				.untilAsserted(
						() -> assertThat(cache.read("a-0", Duration.ofMillis(50)).getMetadata().getResourceVersion())
							.isEqualTo("7"));
			assertThat(cache.server.arrivals).as("in spite of four readers").hasSize(1);
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await(60, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void severalWritesInDoubtAreOneQuestionAboutVersions() {
		try (Cache cache = new Cache(HttpAnswers.ok(FOUND))) {
			for (int i = 1; i < 10; i++) {
				cache.doubt("a-" + i);
			}
			assertThat(cache.store.list()).as("none was made").isEmpty();
			assertThat(cache.server.arrivals).hasSize(1);
			assertThat(cache.server.queries).noneMatch((query) -> query.contains("fieldSelector"));
		}
	}

	private static ObjectKey key(String name) {
		return new ObjectKey("ns", name);
	}

	private static final class Cache implements AutoCloseable {

		private final HttpAnswers server;

		private final Informer<ConfigMap> informer;

		private final OverlaidStore<ConfigMap> store;

		Cache(Answer... answers) {
			this.server = new HttpAnswers(answers);
			this.informer = new Informer<>(this.server.client, InformerSpec.of(TYPE));
			ScopedAccess<ConfigMap> access = new ScopedAccess<>(null, "");
			ApiRequests requests = new ApiRequests(this.server.client);
			this.store = new OverlaidStore<>(this.informer,
					new CacheOverlay<>(this.informer, access, (namespace) -> new ServerQuestions<>(TYPE, namespace,
							null, requests::send, this.server.client.getKubernetesSerialization()), System::nanoTime),
					access);
		}

		ConfigMap read(String name, Duration patience) {
			return this.store.within(new ReadWait(TYPE, System::nanoTime, patience, null)).get(key(name));
		}

		void doubt(String name) {
			assertThatExceptionOfType(ApiException.class).isThrownBy(() -> this.store.overlay()
				.write("ns", new OwnWrite.Update<>("writer", key(name), null, OwnChange.unknown()), () -> {
					throw new ApiException(0, "", null, "Failed to update: no answer", null);
				}, null));
		}

		@Override
		public void close() {
			this.informer.close();
			this.server.close();
		}

	}

}
