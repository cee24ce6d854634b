package dev.sharding.kubernetes.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.fabric8.kubernetes.api.model.ConfigMap;
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
