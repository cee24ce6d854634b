package dev.sharding.internal.kubernetes.qos;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Condition;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Measure;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.micrometer.core.instrument.DistributionSummary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static dev.sharding.internal.kubernetes.qos.QosWorld.LIST;
import static dev.sharding.internal.kubernetes.qos.QosWorld.assertRefused;
import static dev.sharding.internal.kubernetes.qos.QosWorld.enter;
import static dev.sharding.internal.kubernetes.qos.QosWorld.rule;
import static org.assertj.core.api.Assertions.assertThat;

class PredictedListsTests {

	private final QosWorld world = new QosWorld();

	private final List<String> asked = new ArrayList<>();

	private CompletableFuture<Double> answer = CompletableFuture.completedFuture(150_000.0);

	@ParameterizedTest
	@EnumSource(names = { "PREDICTED_ITEMS", "UNPAGED_ITEMS" })
	void newShapesOfALargeResourceAreLimited(Measure measure) {
		Qos qos = counting(new Condition(measure, 2_500));
		// While nobody knows: neither limits it here.
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertRefused(qos, LIST);
		assertRefused(qos, LIST.query("labelSelector", "nobody=has-it"));
		assertRefused(qos, LIST.query("limit", "1000000"));
		assertRefused(qos, LIST.query("limit", "500").query("resourceVersion", "0"));
		assertThat(enter(qos, LIST.query("limit", "500")).admitted()).isCompleted();
		assertThat(this.asked).containsExactly("/api/v1/pods");
	}

	@Test
	void initialEventsOfAStreamedListCountAsAList() {
		Qos qos = counting(new Condition(Measure.PREDICTED_ITEMS, 2_500));
		ApiRequest watch = LIST.query("watch", "1");
		ApiRequest stream = watch.query("sendInitialEvents", "true").query("resourceVersionMatch", "NotOlderThan");
		assertThat(enter(qos, stream).admitted()).isCompleted();
		assertThat(enter(qos, stream).admitted()).isCompleted();
		assertRefused(qos, stream);
		assertRefused(qos, watch);
		assertThat(enter(qos, watch.query("resourceVersion", "7")).admitted()).isCompleted();
	}

	@ParameterizedTest
	@ValueSource(strings = { "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
			"application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" })
	void listOfTheMetadataOfAllCostsAQuarterOfAFullOne(String accept) {
		QosRule rule = new QosRule("rule", true, 1, List.of(), List.of(), Set.of(),
				List.of(new Condition(Measure.UNPAGED_ITEMS, 1_000)), "class", Cost.ITEMS, Accounting.RULE, false, "",
				Duration.ZERO);
		Qos qos = counting(rule, new QosClass.TokenBucket(10_000, 12_000));
		ApiRequest metadata = LIST.accept(accept);
		// This asks for the number.
		enter(qos, LIST.query("limit", "10"));
		assertThat(enter(qos, metadata).admitted()).isCompleted();
		assertThat(assertRefused(qos, metadata).retryAfter()).isEqualTo(Duration.ofMillis(3_750));
		this.world.nanos += Duration.ofMillis(3_750).toNanos();
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertThat(assertRefused(qos, metadata).retryAfter()).isEqualTo(Duration.ofSeconds(15));
	}

	@Test
	void namespacesAreCountedOneByOne() {
		Qos qos = counting(new Condition(Measure.PREDICTED_ITEMS, 0));
		enter(qos, ApiRequest.of("GET", "/api/v1/namespaces/a/pods"));
		enter(qos, ApiRequest.of("GET", "/api/v1/namespaces/b/pods"));
		assertThat(this.asked).containsExactly("/api/v1/namespaces/a/pods", "/api/v1/namespaces/b/pods");
	}

	@Test
	void whatCannotBeCountedIsTakenToBeLarge() {
		this.answer = CompletableFuture.failedFuture(new IllegalStateException("forbidden"));
		Qos qos = counting(new Condition(Measure.UNPAGED_ITEMS, 1_000));
		enter(qos, LIST);
		assertRefused(qos, LIST.query("labelSelector", "a=b"));
		assertThat(this.asked).hasSize(1);
		this.world.nanos += Duration.ofMinutes(2).toNanos();
		this.answer = CompletableFuture.completedFuture(10.0);
		enter(qos, LIST);
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertThat(this.asked).hasSize(2);
		assertThat(qos.counts()).singleElement().satisfies((counts) -> assertThat(counts.matched()).isEqualTo(3));
	}

	@Test
	void aCountThatCannotBeHadAgainGrowsOld() {
		this.answer = CompletableFuture.completedFuture(10.0);
		Qos qos = counting(new Condition(Measure.UNPAGED_ITEMS, 1_000));
		enter(qos, LIST);
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		this.answer = CompletableFuture.failedFuture(new IllegalStateException("too many requests"));
		for (int minute = 0; minute < 12; minute++) {
			this.world.nanos += Duration.ofMinutes(1).toNanos();
			enter(qos, LIST);
		}
		assertRefused(qos, LIST);
		assertThat(this.asked).hasSize(13);
	}

	@Test
	void nothingIsAskedForRulesThatDoNotWantToKnow() {
		Qos qos = counting(new Condition(Measure.LATENCY, 10));
		enter(qos, LIST).ended(null);
		enter(qos, ApiRequest.of("GET", "/api/v1/namespaces/a/pods/p")).ended(null);
		assertThat(this.asked).isEmpty();
	}

	@Test
	void fewQuestionsAreUnderWayAndNobodyWaitsForThem() {
		this.answer = new CompletableFuture<>();
		Qos qos = counting(new Condition(Measure.PREDICTED_ITEMS, 2_000));
		for (int i = 0; i < 100; i++) {
			assertThat(enter(qos, ApiRequest.of("GET", "/api/v1/namespaces/n-" + i + "/pods")).admitted())
				.isCompleted();
		}
		assertThat(this.asked).hasSize(4);
		this.answer.complete(1.0);
		enter(qos, LIST);
		assertThat(this.asked).hasSize(5);
	}

	@Test
	void questionsThatNobodyAnswersAnyMoreKeepNoPlace() {
		CompletableFuture<Double> late = new CompletableFuture<>();
		this.answer = late;
		Qos qos = counting(new Condition(Measure.PREDICTED_ITEMS, 2_000));
		askAbout(qos, "before-", 4);
		assertThat(this.asked).hasSize(4);
		this.answer = new CompletableFuture<>();
		qos.objects().askBy((path) -> {
			this.asked.add(path);
			return this.answer;
		});
		askAbout(qos, "after-", 10);
		assertThat(this.asked).hasSize(8);
		late.complete(1.0);
		askAbout(qos, "later-", 10);
		assertThat(this.asked).hasSize(8);
	}

	private static void askAbout(Qos qos, String namespaces, int count) {
		for (int i = 0; i < count; i++) {
			enter(qos, ApiRequest.of("GET", "/api/v1/namespaces/" + namespaces + i + "/pods"));
		}
	}

	@Test
	void metersCompareWhatWasPredictedWithWhatCame() {
		this.answer = CompletableFuture.completedFuture(4.0);
		Qos qos = counting(new Condition(Measure.PREDICTED_ITEMS, 1_000_000));
		enter(qos, LIST);
		end(enter(qos, LIST), "{\"items\":[{},{}]}");
		// Of what is selected nobody knows how much comes.
		end(enter(qos, LIST.query("labelSelector", "a=b")), "{\"items\":[{}]}");
		DistributionSummary items = this.world.meters.get("sharding.qos.prediction.ratio")
			.tags("of", "items")
			.summary();
		assertThat(items.count()).isEqualTo(1);
		assertThat(items.totalAmount()).isEqualTo(2);
	}

	@Test
	void expensiveRequestsAreCountedLimitedOrNot() {
		Qos qos = counting(new Condition(Measure.LATENCY, 1));
		Passage slow = enter(qos, LIST);
		Passage quick = enter(qos, LIST);
		quick.ended(null);
		this.world.nanos += Duration.ofMinutes(1).toNanos();
		slow.ended(null);
		assertThat(this.world.meters.get("sharding.qos.expensive").counter().count()).isEqualTo(1);
	}

	private static void end(Passage passage, String answer) {
		passage.received(StandardCharsets.UTF_8.encode(answer));
		passage.ended(null);
	}

	@Test
	void countsAnAnswer() {
		KubernetesSerialization serialization = new KubernetesSerialization();
		String list = "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{%s},"
				+ "\"items\":[{\"metadata\":{\"name\":\"a\"}}]}";
		assertThat(ObjectCounts.inAnswer(serialization,
				list.formatted("\"resourceVersion\":\"7\",\"continue\":\"c\",\"remainingItemCount\":41")))
			.isEqualTo(42);
		assertThat(ObjectCounts.inAnswer(serialization, list.formatted("\"continue\":\"c\""))).isNaN();
		assertThat(ObjectCounts.inAnswer(serialization, list.formatted("\"continue\":\"\""))).isEqualTo(1);
	}

	private Qos counting(Condition condition) {
		return counting(rule(condition), new QosClass.TokenBucket(1, 1));
	}

	private Qos counting(QosRule rule, QosClass limit) {
		Qos qos = this.world.qos(rule, limit);
		qos.objects().askBy((path) -> {
			this.asked.add(path);
			return this.answer;
		});
		return qos;
	}

}
