package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.concurrent.ExecutionException;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.ConsistentReadException.Reason;
import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.cache.overlay.SpoiledAnswers;
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
 * What becomes of a read when the API server asks to come again later, over real
 * connections.
 */
@ControlPlaneTest
class RetriedQuestionsIT {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private static final Answer FOUND = SpoiledAnswers.TRUE;

	private final ControlPlane cluster;

	private final String namespace;

	RetriedQuestionsIT(ControlPlane cluster, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.namespace = namespace;
	}

	@BeforeEach
	void create() {
		this.cluster.client()
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("a")
				.endMetadata()
				.build())
			.serverSideApply();
	}

	@Test
	void comesAgainWhenItIsAskedTo() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.refusal(429, 1),
				SpoiledAnswers.refusal(503, 1), FOUND)) {
			assertThat(read(server, Duration.ofSeconds(30)).getMetadata().getName()).isEqualTo("a");
			assertThat(server.pauses()).hasSize(2)
				.allSatisfy((pause) -> assertThat(pause).isGreaterThanOrEqualTo(Duration.ofMillis(990)));
		}
	}

	@Test
	void waitsForTheLatestTimeThatWasNamedWhateverTheAnswerAfterThatSays() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.refusal(429, 12),
				SpoiledAnswers.status(503, "{}"), SpoiledAnswers.refusal(429, 1), FOUND)) {
			ResourceReader<ConfigMap> reader = new ResourceReader<>(TYPE, new ApiRequests(server.client),
					server.client.getKubernetesSerialization());
			assertThat(reader.get(new ObjectKey(this.namespace, "a"), Duration.ofSeconds(10)))
				.failsWithin(Duration.ofSeconds(60))
				.withThrowableOfType(ExecutionException.class);
			// Its own answers name no time, and an earlier one.
			assertThat(reader.get(new ObjectKey(this.namespace, "a"), Duration.ofSeconds(60)))
				.succeedsWithin(Duration.ofSeconds(90));
			assertThat(server.pauses()).hasSize(3);
			assertThat(server.pauses().get(0).plus(server.pauses().get(1)))
				.isGreaterThanOrEqualTo(Duration.ofMillis(11_990));
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 429, 503 })
	void givesUpAfterThreeTimesAndTellsWhenToComeAgain(int status) {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.refusal(status, 1),
				SpoiledAnswers.refusal(status, 1), SpoiledAnswers.refusal(status, 7), FOUND)) {
			assertRefused(server, Duration.ofSeconds(30), status, Duration.ofSeconds(7));
			assertThat(server.requests()).hasSize(3);
		}
	}

	@Test
	void doesNotWaitForATimeBeyondItsDeadline() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.refusal(429, 60), FOUND)) {
			long begun = System.nanoTime();
			assertRefused(server, Duration.ofSeconds(20), 429, Duration.ofSeconds(60));
			assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
			assertThat(server.requests()).hasSize(1);
		}
	}

	@Test
	void doesNotWaitForATimeBeyondWhatIsLeftOfItsDeadline() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.refusal(429, 1),
				SpoiledAnswers.refusal(503, 30), FOUND)) {
			assertRefused(server, Duration.ofSeconds(30), 503, Duration.ofSeconds(30));
			assertThat(server.requests()).hasSize(2);
		}
	}

	@Test
	void asksNoMoreAfterItsDeadline() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.refusal(429, 6))) {
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> read(server, Duration.ofSeconds(5), Duration.ofSeconds(30)))
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.DEADLINE));
			Awaitility.await()
				.atMost(Duration.ofSeconds(90))
				.during(Duration.ofSeconds(2))
				.untilAsserted(() -> assertThat(server.requests()).hasSize(1));
		}
	}

	@Test
	void forgetsTheTimeOnceItIsAnswered() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.refusal(429, 60), FOUND)) {
			ResourceReader<ConfigMap> reader = new ResourceReader<>(TYPE, new ApiRequests(server.client),
					server.client.getKubernetesSerialization());
			assertThat(reader.get(new ObjectKey(this.namespace, "a"), Duration.ofSeconds(30)))
				.failsWithin(Duration.ofSeconds(60))
				.withThrowableOfType(ExecutionException.class);
			assertThat(reader.retryAfter()).isPositive();
			assertThat(reader.get(new ObjectKey(this.namespace, "a"), Duration.ofSeconds(30)))
				.succeedsWithin(Duration.ofSeconds(60));
			assertThat(reader.retryAfter()).isNull();
		}
	}

	private void assertRefused(SpoiledAnswers server, Duration limit, int status, Duration retryAfter) {
		assertThatExceptionOfType(ConsistentReadException.class).isThrownBy(() -> read(server, limit))
			.satisfies((ex) -> {
				assertThat(ex.reason()).isEqualTo(Reason.REFUSED);
				assertThat(ex.retryAfter()).isEqualTo(retryAfter);
			})
			.havingCause()
			.isInstanceOfSatisfying(ApiException.class, (cause) -> assertThat(cause.status()).isEqualTo(status));
	}

	private ConfigMap read(SpoiledAnswers server, Duration limit) {
		return read(server, limit, limit);
	}

	private ConfigMap read(SpoiledAnswers server, Duration limit, Duration timeout) {
		ResourceReader<ConfigMap> reader = new ResourceReader<>(TYPE, new ApiRequests(server.client),
				server.client.getKubernetesSerialization());
		return new ReadWait(TYPE, System::nanoTime, limit, null)
			.await(reader.get(new ObjectKey(this.namespace, "a"), timeout));
	}

}
