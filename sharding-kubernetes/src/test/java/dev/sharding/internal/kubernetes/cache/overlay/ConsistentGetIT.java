package dev.sharding.internal.kubernetes.cache.overlay;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.ConsistentReadException.Reason;
import dev.sharding.cache.Freshness;
import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.cache.check.ReadMeters;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.read.ConsistentReads;
import dev.sharding.internal.kubernetes.cache.read.ConsistentReadSources;
import dev.sharding.internal.kubernetes.cache.read.LiveReadIT;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies.InForce;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies.Origin;
import dev.sharding.internal.kubernetes.cache.read.ResourceReader;
import dev.sharding.internal.kubernetes.cache.read.ServerQuestions;
import dev.sharding.internal.kubernetes.cache.read.ValidatedSource;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Consistent reads of one object, and what they teach the cache. Its informer does not
 * run, so that only what was handed in is known.
 */
@ControlPlaneTest
class ConsistentGetIT {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final ControlPlane cluster;

	private final String namespace;

	private final ObjectKey key;

	ConsistentGetIT(ControlPlane cluster, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.namespace = namespace;
		this.key = new ObjectKey(namespace, "a");
	}

	@Test
	void whatTheApiServerSaysIsGoneIsNotSeenAnyMore() {
		try (Cache cache = new Cache(SpoiledAnswers.TRUE)) {
			cache.handIn("one", "5");
			assertThat(cache.get(Freshness.CONSISTENT)).isEmpty();
			assertThat(cache.store.get(this.key)).isNull();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "404 page not found", "<html>404 Not Found</html>", "{}",
			"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"details\":{},\"code\":404}",
			"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"code\":404}",
			"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"details\":{\"name\":\"b\"},\"code\":404}" })
	void anAnswerThatDoesNotNameTheObjectSaysNothingAboutIt(String body) {
		try (Cache cache = new Cache(SpoiledAnswers.status(404, body))) {
			cache.handIn("one", "5");
			assertThatExceptionOfType(ConsistentReadException.class).isThrownBy(() -> cache.get(Freshness.CONSISTENT))
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED))
				.havingCause()
				.isInstanceOfSatisfying(ApiException.class, (cause) -> assertThat(cause.status()).isEqualTo(404));
			assertThat(cache.store.get(this.key)).isNotNull();
		}
	}

	/** The watch is silent, so that whoever waits for it fails. */
	@Test
	void aNamesakeThatIsSeenMeanwhileDoesNotMakeAnAnswerAnError() {
		try (Cache cache = new Cache(SpoiledAnswers.TRUE)) {
			cache.handIn("one", "5");
			cache.server.meanwhile = () -> cache.handIn("two", "9");
			assertThat(cache.get(Freshness.CONSISTENT)).isEmpty();
			assertThat(cache.store.get(this.key)).isNotNull();
			assertThat(cache.server.requests()).hasSize(1);
		}
	}

	@Test
	void aNamesakeOfNothingDoesNotMakeAnAnswerAnError() {
		try (Cache cache = new Cache(SpoiledAnswers.TRUE)) {
			cache.server.meanwhile = () -> cache.handIn("two", "9");
			assertThat(cache.get(Freshness.CONSISTENT)).isEmpty();
			assertThat(cache.server.requests()).hasSize(1);
		}
	}

	@Test
	void aReadByTheApiServerThatFailsIsNotRepeatedLive() {
		try (Cache cache = new Cache(new SpoiledAnswers(this.cluster.user("reader-of-nothing"), SpoiledAnswers.TRUE))) {
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> cache.get(Freshness.CONSISTENT.orLive()));
			assertThat(cache.server.requests()).hasSize(1);
			assertThat(this.meters.get("sharding.cache.reads").tags("strategy", "quorum").counters()).hasSize(1);
		}
	}

	@Test
	void anUnchangedObjectLeavesNoDoubtThoughVersionsHaveNoOrder() {
		String object = """
				{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s","name":"a","uid":"u","resourceVersion":"opaque-1"}}"""
			.formatted(this.namespace);
		String list = """
				{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"opaque-9"},"items":[%s]}"""
			.formatted(object);
		try (Cache cache = new Cache(SpoiledAnswers.ok(list))) {
			cache.server.byQuery = (query) -> query.contains("sendInitialEvents") ? SpoiledAnswers.refusal(422, 0)
					: query.matches("timeout=\\d+ms") ? SpoiledAnswers.ok(object) : null;
			cache.informer.start();
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> cache.store.plain().get(this.key) != null);
			for (int i = 0; i < 3; i++) {
				assertThat(cache.get(Freshness.CONSISTENT)).isPresent();
				assertThat(cache.store.overlay().isQuiet()).isTrue();
			}
		}
	}

	@Test
	void aReadOfAVersionThatNobodyReachesEndsWithItsInformer() throws Exception {
		try (Cache cache = new Cache(SpoiledAnswers.TRUE)) {
			cache.informer.start();
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> cache.store.watermark() != null);
			int before = cache.server.requests().size();
			CompletableFuture<List<ConfigMap>> read = CompletableFuture.supplyAsync(() -> cache.reads.read(cache.store,
					"", Freshness.atLeast("9000000000000").within(Duration.ofHours(1)), ConsistentReads.NONE,
					StoreView::list));
			// The API server has said that it is not there yet either.
			Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> cache.server.requests().size() > before);
			Awaitility.await()
				.atMost(Duration.ofSeconds(90))
				.during(Duration.ofMillis(500))
				.until(() -> !read.isDone());
			cache.informer.close();
			assertThatThrownBy(() -> read.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(ConsistentReadException.class);
		}
	}

	private final class Cache implements AutoCloseable {

		private final SpoiledAnswers server;

		private final Informer<ConfigMap> informer;

		private final OverlaidStore<ConfigMap> store;

		private final ConsistentReads<ConfigMap> reads;

		Cache(Answer answer) {
			this(new SpoiledAnswers(ConsistentGetIT.this.cluster, answer));
		}

		Cache(SpoiledAnswers server) {
			this.server = server;
			this.informer = new Informer<>(this.server.client, InformerSpec.of(TYPE));
			ScopedAccess<ConfigMap> access = new ScopedAccess<>(null, "");
			ApiRequests requests = new ApiRequests(this.server.client);
			CacheOverlay<ConfigMap> overlay = new CacheOverlay<>(this.informer, access,
					(namespace) -> new ServerQuestions<>(TYPE, namespace, null, requests::send,
							this.server.client.getKubernetesSerialization()),
					System::nanoTime);
			this.store = new OverlaidStore<>(this.informer, overlay, access);
			this.reads = new ConsistentReads<>(TYPE,
					new ResourceReader<>(TYPE, requests, this.server.client.getKubernetesSerialization()),
					new ConsistentReadSources<>((watermark) -> new InForce(ReadStrategy.VALIDATED, Origin.DEFAULT),
							(strategy) -> ValidatedSource::new),
					new ReadMeters(ConsistentGetIT.this.meters, "configmaps"), System::nanoTime, LiveReadIT.UNSAMPLED);
		}

		/* Whoever waits for a watch does so in vain; whoever does not needs no time. */
		Optional<ConfigMap> get(Freshness freshness) {
			return this.reads.get(this.store, ConsistentGetIT.this.key, freshness.within(Duration.ofMinutes(1)));
		}

		void handIn(String uid, String version) {
			this.store.overlay()
				.handIn(new ConfigMapBuilder().withNewMetadata()
					.withNamespace(ConsistentGetIT.this.key.namespace())
					.withName(ConsistentGetIT.this.key.name())
					.withUid(uid)
					.withResourceVersion(version)
					.endMetadata()
					.build());
		}

		@Override
		public void close() {
			this.informer.close();
			this.server.close();
		}

	}

}
