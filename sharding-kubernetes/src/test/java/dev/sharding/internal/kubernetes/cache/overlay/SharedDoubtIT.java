package dev.sharding.internal.kubernetes.cache.overlay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.client.ApiException;
import dev.sharding.internal.core.overlay.OwnChange;
import dev.sharding.internal.core.overlay.OwnWrite;
import dev.sharding.internal.kubernetes.cache.read.ReadWait;
import dev.sharding.internal.kubernetes.cache.read.ServerQuestions;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Many who read what is in doubt cost one question at a time, and none before the API
 * server wants to be asked again.
 */
@ControlPlaneTest
class SharedDoubtIT {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private final ExecutorService readers = Executors.newFixedThreadPool(10);

	private final ControlPlane cluster;

	private final String namespace;

	SharedDoubtIT(ControlPlane cluster, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.namespace = namespace;
	}

	@AfterEach
	void close() {
		this.readers.shutdownNow();
	}

	@Test
	void nobodyAsksBeforeTheApiServerWantsToBeAskedAgain() {
		try (Cache cache = new Cache(SpoiledAnswers.refusal(429, 2), SpoiledAnswers.refusal(503, 2),
				SpoiledAnswers.TRUE)) {
			String version = create("a-0").getMetadata().getResourceVersion();
			cache.doubt("a-0");
			List<CompletableFuture<ConfigMap>> reads = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				reads.add(CompletableFuture.supplyAsync(() -> cache.store.get(key("a-0")), this.readers));
			}
			assertThat(reads).allSatisfy((read) -> assertThat(read).succeedsWithin(Duration.ofSeconds(30))
				.satisfies((map) -> assertThat(map.getMetadata().getResourceVersion()).isEqualTo(version)));
			assertThat(cache.server.requests()).as("for ten readers").hasSize(3);
			assertThat(cache.server.pauses()).allMatch((pause) -> pause.compareTo(Duration.ofSeconds(2)) >= 0);
		}
	}

	@Test
	void whoWouldNotWaitThatLongFailsAtOnceAndLearnsWhenToComeAgain() {
		try (Cache cache = new Cache(SpoiledAnswers.refusal(429, 120))) {
			cache.doubt("a-0");
			for (int i = 0; i < 10; i++) {
				assertThatExceptionOfType(ApiException.class).isThrownBy(() -> cache.store.list())
					.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(Duration.ofMinutes(2)));
			}
			cache.store.overlay().tick();
			assertThat(cache.server.requests()).hasSize(1);
		}
	}

	/** Each question was cut off by its readers, and the next began. */
	@Test
	void aQuestionOutlastsTheReadersWhoHaveLessPatienceThanItTakes() {
		CountDownLatch impatient = new CountDownLatch(3);
		String version = create("a-late").getMetadata().getResourceVersion();
		try (Cache cache = new Cache(SpoiledAnswers.TRUE)) {
			cache.server.meanwhile = () -> await(impatient);
			cache.doubt("a-late");
			while (impatient.getCount() > 0) {
				assertThatExceptionOfType(ConsistentReadException.class)
					.isThrownBy(() -> cache.read("a-late", Duration.ofMillis(50)));
				impatient.countDown();
			}
			Awaitility.await()
				.atMost(Duration.ofSeconds(20))
				.ignoreExceptions()
				.untilAsserted(
						() -> assertThat(cache.read("a-late", Duration.ofMillis(50)).getMetadata().getResourceVersion())
							.isEqualTo(version));
			assertThat(cache.server.requests()).as("in spite of four readers").hasSize(1);
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
		try (Cache cache = new Cache(SpoiledAnswers.TRUE)) {
			for (int i = 1; i < 10; i++) {
				cache.doubt("a-" + i);
			}
			assertThat(cache.store.list()).as("none was made").isEmpty();
			assertThat(cache.server.requests()).hasSize(1);
			assertThat(cache.server.queries()).noneMatch((query) -> query.contains("fieldSelector"));
		}
	}

	private ConfigMap create(String name) {
		return this.cluster.client()
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.endMetadata()
				.build())
			.create();
	}

	private ObjectKey key(String name) {
		return new ObjectKey(this.namespace, name);
	}

	private final class Cache implements AutoCloseable {

		private final SpoiledAnswers server;

		private final Informer<ConfigMap> informer;

		private final OverlaidStore<ConfigMap> store;

		Cache(Answer... answers) {
			this.server = new SpoiledAnswers(SharedDoubtIT.this.cluster, answers);
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
				.write(SharedDoubtIT.this.namespace,
						new OwnWrite.Update<>("writer", key(name), null, OwnChange.unknown()), () -> {
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
