package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.sharding.client.ApiException;
import dev.sharding.client.QosLimitedException;
import dev.sharding.internal.core.qos.RequestShape;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Condition;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Measure;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.PathPrefix;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.qos.spi.RequestTarget;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.FlowSchemaBuilder;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.PriorityLevelConfigurationBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What a rule can ask for, each against what the server really does. */
@ControlPlaneTest
class QosRulesIT {

	private static final double NEVER = 1e15;

	private final Qos qos = new Qos(QosRules.NONE, QosOptions.DEFAULTS,
			QosPieces.standard(RateLimiterRegistry.ofDefaults(), BulkheadRegistry.ofDefaults(), System::nanoTime),
			new SimpleMeterRegistry(), InstantSource.system(), System::nanoTime);

	private final KubernetesClient plain;

	private final KubernetesClient client;

	private final ApiRequests requests;

	private final String namespace;

	private final String path;

	QosRulesIT(KubernetesClient plain, @TestNamespace String namespace) {
		this.plain = plain;
		this.namespace = namespace;
		this.client = limited(plain.getConfiguration());
		this.requests = new ApiRequests(this.client);
		this.path = "/api/v1/namespaces/" + namespace + "/configmaps";
		plain.resource(map("small", 10)).forceConflicts().serverSideApply();
		plain.resource(map("large", 10_000)).forceConflicts().serverSideApply();
		plain.resource(map("patched", 10)).forceConflicts().serverSideApply();
	}

	@AfterEach
	void disconnect() {
		this.client.close();
	}

	/**
	 * A condition.
	 *
	 * @param measure what is measured
	 * @param threshold from where on it holds
	 * @param never what the measure never exceeds
	 * @param spared a request for which it does not hold
	 * @param limited one for which it does, once it is known
	 * @param unknown how often that passes before it is known
	 */
	private record Row(Measure measure, double threshold, double never, Function<QosRulesIT, ApiRequest> spared,
			Function<QosRulesIT, ApiRequest> limited, int unknown) {

		@Override
		public String toString() {
			return this.measure.toString();
		}

	}

	static Stream<Row> conditions() {
		Function<QosRulesIT, ApiRequest> all = (test) -> ApiRequest.of("GET", test.path);
		Function<QosRulesIT, ApiRequest> small = (test) -> all.apply(test).query("labelSelector", "name=small");
		Function<QosRulesIT, ApiRequest> large = (test) -> all.apply(test).query("labelSelector", "name=large");
		return Stream.of(
				new Row(Measure.REQUEST_SIZE, 1_000, NEVER, (test) -> test.patch(10), (test) -> test.patch(2_000), 0),
				new Row(Measure.RESPONSE_SIZE, 5_000, NEVER, small, large, 1),
				// Neither body nor answer is as large by itself.
				new Row(Measure.TOTAL_TRAFFIC, 5_000, NEVER, small, (test) -> test.patch(3_000), 1),
				new Row(Measure.PREDICTED_ITEMS, 2, NEVER, small, all, 1),
				new Row(Measure.UNPAGED_ITEMS, 2, NEVER, (test) -> all.apply(test).query("limit", "2"), all, 1),
				// Any answer takes time; of a new shape of request it is not known.
				new Row(Measure.LATENCY, 0, NEVER,
						(test) -> all.apply(test).query("labelSelector", "name=n" + UUID.randomUUID()), all, 1),
				new Row(Measure.FAILED_REQUESTS, 0.5, 1, small, (test) -> ApiRequest.of("GET", test.path + "/missing"),
						1));
	}

	@ParameterizedTest
	@MethodSource("conditions")
	void ruleLimitsOnlyWhatItsConditionHoldsFor(Row row) {
		ApiRequest limited = row.limited().apply(this);
		one(row.measure(), row.threshold());
		for (int i = 0; i < 3; i++) {
			assertThat(isSent(row.spared().apply(this))).isTrue();
		}
		for (int i = 0; i < row.unknown(); i++) {
			assertThat(isSent(limited)).isTrue();
			awaitKnown(limited);
		}
		assertThat(counts()).containsExactly(0L, 0L);
		assertThat(isSent(limited)).isTrue();
		assertThat(isSent(limited)).isFalse();
		assertThat(isSent(row.spared().apply(this))).isTrue();
		assertThat(counts()).containsExactly(2L, 1L);
		one(row.measure(), row.never());
		assertThat(isSent(limited)).isTrue();
		assertThat(counts()).containsExactly(2L, 1L);
	}

	@Test
	void ruleLimitsWhileTheServerRefuses() {
		ApiRequest get = ApiRequest.of("GET", this.path + "/small");
		one(Measure.SERVER_PRESSURE, 0);
		for (int i = 0; i < 3; i++) {
			assertThat(isSent(get)).isTrue();
		}
		assertThat(counts()).containsExactly(0L, 0L);
		refuse();
		assertThat(isSent(get)).isTrue();
		assertThat(isSent(get)).isFalse();
		assertThat(counts()).containsExactly(2L, 1L);
		one(Measure.SERVER_PRESSURE, 1);
		assertThat(isSent(get)).isTrue();
	}

	/* Some of one user's requests get the answer 429. */
	private void refuse() {
		String user = "prisoner-of-" + this.namespace;
		HasMetadata jail = this.plain
			.resource(new PriorityLevelConfigurationBuilder().withNewMetadata()
				.withName(user)
				.endMetadata()
				.withNewSpec()
				.withType("Limited")
				.withNewLimited()
				.withNominalConcurrencyShares(0)
				.withBorrowingLimitPercent(0)
				.withNewLimitResponse()
				.withType("Reject")
				.endLimitResponse()
				.endLimited()
				.endSpec()
				.build())
			.create();
		HasMetadata way = this.plain
			.resource(new FlowSchemaBuilder().withNewMetadata()
				.withName(user)
				.endMetadata()
				.withNewSpec()
				.withMatchingPrecedence(10)
				.withNewPriorityLevelConfiguration(user)
				.addNewRule()
				.addNewSubject()
				.withKind("User")
				.withNewUser(user)
				.endSubject()
				.addNewResourceRule()
				.withVerbs("*")
				.withApiGroups("*")
				.withResources("*")
				.withNamespaces("*")
				.endResourceRule()
				.endRule()
				.endSpec()
				.build())
			.create();
		try (KubernetesClient prisoner = limited(
				new ConfigBuilder(this.plain.getConfiguration()).withImpersonateUsername(user).build())) {
			ApiRequests asking = new ApiRequests(prisoner);
			ApiRequest list = ApiRequest.of("GET", "/api/v1/namespaces/" + this.namespace + "/secrets");
			await().atMost(Duration.ofMinutes(1)).until(() -> {
				List<CompletableFuture<Integer>> answers = new ArrayList<>();
				for (int i = 0; i < 10; i++) {
					answers.add(asking.send(list)
						.handle((answer, failure) -> (failure != null) ? ApiException.of(failure).status()
								: answer.status()));
				}
				return answers.stream().map(CompletableFuture::join).toList().contains(429);
			});
		}
		finally {
			this.plain.resource(way).delete();
			this.plain.resource(jail).delete();
		}
		await().atMost(Duration.ofMinutes(1)).until(() -> this.qos.server().pressure() > 0);
	}

	/* Who asked may have the answer before what it cost is remembered. */
	private void awaitKnown(ApiRequest request) {
		RequestTarget target = RequestTarget.parse(request.path());
		assertThat(target).isNotNull();
		Operation operation = RequestReading.operation(request, target);
		assertThat(operation).isNotNull();
		RequestShape shape = RequestShape.of(operation, target, request.query());
		await().atMost(Duration.ofMinutes(1)).until(() -> this.qos.memory().recall(shape, System.nanoTime()) != null);
	}

	@Test
	void operationsAreToldFromOneAnother() {
		List<QosRule> rules = new ArrayList<>();
		for (Operation operation : Operation.values()) {
			rules.add(rule(operation.name(), 1, Set.of(operation), List.of()));
		}
		this.qos.change((before) -> QosRules.define(Map.of("class", new QosClass.TokenBucket(1_000, 1_000)), rules));
		Map<Operation, Consumer<NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>>>> calls = Map.of(
				Operation.CREATE, (maps) -> maps.resource(map("other", 1)).create(), //
				Operation.GET, (maps) -> maps.withName("small").get(), //
				Operation.LIST, (maps) -> maps.list(), //
				Operation.WATCH, (maps) -> maps.watch(new Ignoring()).close(), //
				Operation.UPDATE, (maps) -> maps.resource(this.plain.resource(map("small", 1)).get()).update(), //
				Operation.PATCH,
				(maps) -> maps.withName("small")
					.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"more\":\"x\"}}"), //
				Operation.APPLY, (maps) -> maps.resource(map("applied", 1)).serverSideApply(), //
				Operation.DELETE, (maps) -> maps.withName("other").delete(), //
				Operation.DELETE_COLLECTION, (maps) -> maps.withLabel("name", "applied").delete());
		assertThat(calls).hasSize(Operation.values().length);
		for (Operation operation : Operation.values()) {
			Map<String, Long> before = byRule();
			calls.get(operation).accept(this.client.configMaps().inNamespace(this.namespace));
			Map<String, Long> matched = byRule();
			matched.replaceAll((rule, sum) -> sum - before.get(rule));
			assertThat(matched.remove(operation.name())).as("%s", operation).isEqualTo(1);
			// Some of the client's methods read before they write.
			matched.remove(Operation.GET.name());
			assertThat(matched.values()).as("beside %s: %s", operation, matched).containsOnly(0L);
		}
	}

	private Map<String, Long> byRule() {
		Map<String, Long> matched = new HashMap<>();
		this.qos.counts().forEach((counts) -> matched.put(counts.rule(), counts.matched()));
		return matched;
	}

	/* How many the rule was about, and how many of them were not sent. */
	private List<Long> counts() {
		RuleCounts counts = this.qos.counts().get(0);
		return List.of(counts.matched(), counts.rejected());
	}

	/** Whether the server saw it, whatever it said. */
	private boolean isSent(ApiRequest request) {
		try {
			this.requests.call(request);
			return true;
		}
		catch (QosLimitedException ex) {
			return false;
		}
		catch (ApiException ex) {
			assertThat(ex.isAnswered()).isTrue();
			return true;
		}
	}

	/* Lets one request through, if the condition holds. */
	private void one(Measure measure, double threshold) {
		this.qos.change((before) -> QosRules.define(Map.of("class", new QosClass.TokenBucket(0.001, 1)),
				List.of(rule("rule", 1, Set.of(), List.of(new Condition(measure, threshold))))));
	}

	private QosRule rule(String name, int priority, Set<Operation> operations, List<Condition> conditions) {
		return new QosRule(name, true, priority, List.of(), List.of(PathPrefix.parse(this.path)), operations,
				conditions, "class", Cost.REQUESTS, Accounting.RULE, false, "", Duration.ZERO);
	}

	private ApiRequest patch(int bytes) {
		return ApiRequest.of("PATCH", this.path + "/patched", "application/merge-patch+json",
				"{\"data\":{\"text\":\"%s\"}}".formatted("x".repeat(bytes)));
	}

	private ConfigMap map(String name, int bytes) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.addToLabels("name", name)
			.endMetadata()
			.addToData("text", "x".repeat(bytes))
			.build();
	}

	private KubernetesClient limited(Config config) {
		return ThrottledClient.of(new KubernetesClientBuilder().withConfig(config).build(), this.qos);
	}

	/** A watcher that does nothing. */
	private static final class Ignoring implements Watcher<ConfigMap> {

		@Override
		public void eventReceived(Action action, ConfigMap map) {
		}

		@Override
		public void onClose(WatcherException cause) {
		}

	}

}
