package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.ConfigMap;
import org.assertj.core.data.Index;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.ConsistentReadException.Reason;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ObjectPage;
import dev.sharding.cache.ReadCancellation;
import dev.sharding.internal.core.read.ListPlan;
import dev.sharding.internal.kubernetes.cache.overlay.SpoiledAnswers;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Lists at a version end with their reader.
 */
@ControlPlaneTest
class VersionedListsIT {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private static final ListPlan.Exact EXACT = new ListPlan.Exact("5", null);

	private static final Answer MORE = page("more");

	private final ControlPlane cluster;

	VersionedListsIT(ControlPlane cluster) {
		this.cluster = cluster;
	}

	@Test
	void allPagesAreAskedForOneAfterTheOther() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, MORE, MORE, page(""))) {
			assertThat(at(server, Freshness.CONSISTENT).items()).hasSize(3);
			assertThat(server.queries()).hasSize(3)
				.satisfies((first) -> assertThat(first).contains("resourceVersion=5", "resourceVersionMatch=Exact"),
						Index.atIndex(0));
			assertThat(server.queries().subList(1, 3))
				.allSatisfy((query) -> assertThat(query).contains("continue=more").doesNotContain("resourceVersion"));
		}
	}

	@Test
	void theApiServerKnowsWhatIsLeftOfTheDeadline() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.refusal(503, 1), MORE, page(""))) {
			at(server, Freshness.CONSISTENT.within(Duration.ofSeconds(20)));
			assertThat(server.queries().stream().map(VersionedListsIT::timeout).toList()).satisfies((millis) -> {
				assertThat(millis.get(0)).isBetween(1L, 20_000L);
				assertThat(millis.get(2)).isLessThanOrEqualTo(millis.get(0) - 900);
			});
		}
	}

	@Test
	void nothingIsAskedAfterTheDeadline() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, MORE)) {
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> at(server, Freshness.CONSISTENT.within(Duration.ofMillis(500))))
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.DEADLINE));
			assertNothingIsAsked(server);
		}
	}

	@Test
	void nothingIsAskedAgainAfterTheDeadline() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.status(503, "{}"))) {
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> at(server, Freshness.CONSISTENT.within(Duration.ofMillis(50))));
			assertNothingIsAsked(server);
		}
	}

	@Test
	void nothingIsAskedAfterACancel() throws Exception {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, MORE)) {
			ReadCancellation cancellation = new ReadCancellation();
			CompletableFuture<Throwable> read = CompletableFuture
				.supplyAsync(
						() -> at(server, Freshness.CONSISTENT.within(Duration.ofMinutes(5)).cancelledBy(cancellation)))
				.handle((page, failure) -> failure.getCause());
			Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> server.requests().size() > 2);
			cancellation.cancel();
			assertThat(read.get(30, TimeUnit.SECONDS)).isInstanceOfSatisfying(ConsistentReadException.class,
					(ex) -> assertThat(ex.reason()).isEqualTo(Reason.CANCELLED));
			assertNothingIsAsked(server);
		}
	}

	/** But for a request that was on its way. */
	private static void assertNothingIsAsked(SpoiledAnswers server) {
		int asked = server.requests().size();
		Awaitility.await()
			.atMost(Duration.ofSeconds(90))
			.during(Duration.ofMillis(500))
			.untilAsserted(() -> assertThat(server.requests()).hasSizeLessThanOrEqualTo(asked + 1));
	}

	private static long timeout(String query) {
		return List.of(query.split("&"))
			.stream()
			.filter((parameter) -> parameter.startsWith("timeout="))
			.map((parameter) -> Long.parseLong(parameter.substring(8, parameter.length() - 2)))
			.findFirst()
			.orElseThrow();
	}

	private static ObjectPage<ConfigMap> at(SpoiledAnswers server, Freshness freshness) {
		ResourceReader<ConfigMap> reader = new ResourceReader<>(TYPE, new ApiRequests(server.client),
				server.client.getKubernetesSerialization());
		return new VersionedLists<>(TYPE, reader, System::nanoTime).at(InformerSpec.of(TYPE),
				ListOptions.all().freshness(freshness), EXACT);
	}

	private static Answer page(String token) {
		return SpoiledAnswers.ok("""
				{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"5","continue":"%s"},
				"items":[{"metadata":{"namespace":"ns","name":"a","resourceVersion":"4"}}]}""".formatted(token));
	}

}
