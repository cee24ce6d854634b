package dev.sharding.kubernetes.cache;

import java.time.Duration;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.kubernetes.cache.ConsistentReadException.Reason;
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
 * Consistent reads of one object, and what they teach the cache. Its informer does not
 * run, so that only what was handed in is known.
 */
class ConsistentGetTests {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private static final ObjectKey KEY = new ObjectKey("ns", "a");

	private static final String NOT_FOUND = """
			{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","details":%s,"code":404}""";

	private static final Answer GONE = new Answer(404, null, NOT_FOUND.formatted("""
			{"name":"a","kind":"configmaps"}"""));

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	@Test
	void whatTheApiServerSaysIsGoneIsNotSeenAnyMore() {
		try (Cache cache = new Cache(GONE)) {
			cache.handIn("one", "5");
			assertThat(cache.get(Freshness.CONSISTENT)).isEmpty();
			assertThat(cache.store.get(KEY)).isNull();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "404 page not found", "<html>404 Not Found</html>", "{}",
			"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"details\":{},\"code\":404}",
			"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"code\":404}",
			"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"details\":{\"name\":\"b\"},\"code\":404}" })
	void anAnswerThatDoesNotNameTheObjectSaysNothingAboutIt(String body) {
		try (Cache cache = new Cache(new Answer(404, null, body))) {
			cache.handIn("one", "5");
			assertThatExceptionOfType(ConsistentReadException.class).isThrownBy(() -> cache.get(Freshness.CONSISTENT))
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED))
				.havingCause()
				.isInstanceOfSatisfying(ApiException.class, (cause) -> assertThat(cause.status()).isEqualTo(404));
			assertThat(cache.store.get(KEY)).isNotNull();
		}
	}

	/** The watch is silent, so that whoever waits for it fails. */
	@Test
	void aNamesakeThatIsSeenMeanwhileDoesNotMakeAnAnswerAnError() {
		try (Cache cache = new Cache(GONE)) {
			cache.handIn("one", "5");
			cache.server.meanwhile = () -> cache.handIn("two", "9");
			assertThat(cache.get(Freshness.CONSISTENT)).isEmpty();
			assertThat(cache.store.get(KEY)).isNotNull();
			assertThat(cache.server.arrivals).hasSize(1);
		}
	}

	@Test
	void aNamesakeOfNothingDoesNotMakeAnAnswerAnError() {
		try (Cache cache = new Cache(GONE)) {
			cache.server.meanwhile = () -> cache.handIn("two", "9");
			assertThat(cache.get(Freshness.CONSISTENT)).isEmpty();
			assertThat(cache.server.arrivals).hasSize(1);
		}
	}

	@Test
	void aReadByTheApiServerThatFailsIsNotRepeatedLive() {
		try (Cache cache = new Cache(new Answer(403, null, "{}"))) {
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> cache.get(Freshness.CONSISTENT.orLive()));
			assertThat(cache.server.arrivals).hasSize(1);
			assertThat(this.meters.get("sharding.cache.reads").tags("strategy", "quorum").counters()).hasSize(1);
		}
	}

	@Test
	void anUnchangedObjectLeavesNoDoubtThoughVersionsHaveNoOrder() {
		String object = """
				{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"a","uid":"u","resourceVersion":"opaque-1"}}""";
		String list = """
				{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"opaque-9"},"items":[%s]}"""
			.formatted(object);
		try (Cache cache = new Cache(HttpAnswers.ok(list))) {
			cache.server.byQuery = (query) -> query.contains("sendInitialEvents") ? HttpAnswers.refusal(422, 0)
					: query.matches("timeout=\\d+ms") ? HttpAnswers.ok(object) : null;
			cache.informer.start();
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> cache.store.plain().get(KEY) != null);
			for (int i = 0; i < 3; i++) {
				assertThat(cache.get(Freshness.CONSISTENT)).isPresent();
				assertThat(cache.store.overlay().isQuiet()).isTrue();
			}
		}
	}

	private final class Cache implements AutoCloseable {

		private final HttpAnswers server;

		private final Informer<ConfigMap> informer;

		private final OverlaidStore<ConfigMap> store;

		private final ConsistentReads<ConfigMap> reads;

		Cache(Answer... answers) {
			this.server = new HttpAnswers(answers);
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
					new FreshSources<>(ReadStrategy.VALIDATED, (strategy) -> ValidatedSource::new),
					new ReadMeters(ConsistentGetTests.this.meters, "configmaps"), System::nanoTime);
		}

		Optional<ConfigMap> get(Freshness freshness) {
			return this.reads.get(this.store, KEY, freshness.within(Duration.ofSeconds(5)));
		}

		void handIn(String uid, String version) {
			this.store.overlay()
				.handIn(new ConfigMapBuilder().withNewMetadata()
					.withNamespace(KEY.namespace())
					.withName(KEY.name())
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
