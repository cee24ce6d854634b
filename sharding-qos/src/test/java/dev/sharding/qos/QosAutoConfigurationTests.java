package dev.sharding.qos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.sharding.client.RequestThrottle;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.AccountingGroups;
import dev.sharding.qos.spi.Aggregation;
import dev.sharding.qos.spi.Condition;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.CostFunction;
import dev.sharding.qos.spi.Limiter;
import dev.sharding.qos.spi.Limits;
import dev.sharding.qos.spi.Measure;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.PathPrefix;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.Selector;
import dev.sharding.qos.spi.Subject;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

class QosAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(QosAutoConfiguration.class, QosEndpointAutoConfiguration.class))
		.withBean(KubernetesClient.class, QosAutoConfigurationTests::client);

	private final ApplicationContextRunner on = this.runner.withPropertyValues("sharding.qos.enabled=true");

	@Test
	void isOffByDefault() {
		this.runner.run((context) -> {
			assertThat(context).doesNotHaveBean(Qos.class).doesNotHaveBean(QosEndpoint.class);
			assertThat(ThrottledClient.isLimited(context.getBean(KubernetesClient.class))).isFalse();
		});
	}

	@Test
	void builtInRulesAreActiveWhenOn() {
		this.on.run((context) -> {
			assertThat(context.getBean(Qos.class).rules().rules()).extracting(QosRule::name)
				.containsExactly("events-under-storage-pressure", "large-lists");
			assertThat(context.getBean(Qos.class).rules().rules()).extracting(QosRule::cost)
				.containsExactly(Cost.REQUESTS, Cost.ITEMS);
			assertThat(context.getBean(Qos.class).rules().classes()).containsEntry("large-lists",
					new QosClass.TokenBucket(10_000, 12_000));
			assertThat(ThrottledClient.isLimited(context.getBean(KubernetesClient.class))).isTrue();
		});
		this.on.withPropertyValues("sharding.qos.built-in-rules=false")
			.run((context) -> assertThat(context.getBean(Qos.class).rules().rules()).isEmpty());
	}

	@Test
	void bindsClassesAndRules() {
		configured().run((context) -> {
			Qos qos = context.getBean(Qos.class);
			assertThat(qos.rules().classes()).containsEntry("slow", new QosClass.TokenBucket(10, 12))
				.containsEntry("even", new QosClass.LeakyBucket(2, 7))
				.containsEntry("window", new QosClass.RunningWindow(10_000, Duration.ofMinutes(1)))
				.containsEntry("few", new QosClass.MaxInFlight(5));
			assertThat(qos.rules().rules()).singleElement().satisfies((rule) -> {
				assertThat(rule.name()).isEqualTo("pods");
				assertThat(rule.priority()).isEqualTo(10);
				assertThat(rule.paths()).containsExactly(PathPrefix.parse("/api/v1/pods"));
				assertThat(rule.operations()).containsExactlyInAnyOrder(Operation.LIST, Operation.DELETE_COLLECTION);
				assertThat(rule.conditions()).containsExactly(new Condition(Measure.PREDICTED_ITEMS, 1_000));
				assertThat(rule.subjects()).containsExactly(new Subject(Subject.Kind.CONTROLLER, "greedy"));
				assertThat(rule.ringWide()).isTrue();
				assertThat(rule.longestWait()).isEqualTo(Duration.ofSeconds(5));
			});
		});
	}

	@Test
	void whatIsExportedCanBePastedIntoTheConfiguration(@TempDir Path folder) throws IOException {
		Path file = folder.resolve("exported.yaml");
		configured().run((context) -> {
			Qos qos = context.getBean(Qos.class);
			QosEndpoint endpoint = context.getBean(QosEndpoint.class);
			endpoint.define("classes", "Odd.name_1", "{kind: max-in-flight, max: 3}", null);
			endpoint.define("rules", "Odd.name_2",
					"{priority: 3, qos-class: Odd.name_1, paths: [/registry/example.com/gadgets], subjects: {user: ['system:serviceaccount:a:b']}}",
					null);
			endpoint.define("rules", "everything",
					"{enabled: false, priority: 4, qos-class: window, paths: [/, /apis/apps/v1/namespaces/a/deployments/d],"
							+ " operations: [get, list, watch, create, update, patch, apply, delete, delete-collection],"
							+ " subjects: {controller: [a], service-account: [n/b], user: [c], shard: [d, e]},"
							+ " conditions: {predicted-items: 1, unpaged-items: 2, request-size: 3, response-size: 4,"
							+ " total-traffic: 5, latency: 6, failed-requests: 0.7, storage-used: 0.8, server-pressure: 0.9},"
							+ " cost: traffic-bytes, accounting: subject, scope: ring, max-wait: 1500ms}",
					null);
			assertThat(qos.rules().rules()).extracting(QosRule::name).contains("everything");
			Files.writeString(file, QosExport.yaml(qos.rules()));
			this.runner.withInitializer(new ConfigDataApplicationContextInitializer())
				.withPropertyValues("spring.config.import=" + file.toUri())
				.run((copy) -> {
					assertThat(copy.getBean(Qos.class).rules().rules()).hasSize(3).isEqualTo(qos.rules().rules());
					assertThat(copy.getBean(Qos.class).rules().classes()).isEqualTo(qos.rules().classes());
				});
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					classes.a.kind=token-bucket                    | a | QoS class 'a': 'qps' must be set
					classes.a.kind=token-bucket,classes.a.qps=-1   | a | QoS class 'a': 'qps' must be above 0
					classes.large-lists.kind=max-in-flight,classes.large-lists.max=0 | large-lists | QoS class 'large-lists': 'max' must be at least 1 (is 0)
					rules.a.priority=1,rules.a.qos-class=missing   | a | Rule 'a' names the class 'missing', which is not defined
					rules.a.priority=0,rules.a.qos-class=events    | a | The priority of rule 'a' must be from 1 to 100 (is 0)
					rules.a.priority=90,rules.a.qos-class=events   | large-lists | have the same priority 90
					rules.a.priority=1,rules.a.qos-class=events,rules.a.paths=pods | a | QoS rule 'a': 'pods' is no path of the API
					rules.a.priority=1,rules.a.qos-class=events,rules.a.conditions.storage-used=2 | a | QoS rule 'a': The threshold of
					rules.a.priority=1,rules.a.qos-class=events,rules.a.max-wait=-1s | a | The longest wait of rule 'a' must not be negative
					rules.a.priority=1,rules.a.qos-class=events,rules.a.max-wait=999999d | a | must not be negative, and at most PT24H (is PT23999976H)
					classes.a.kind=max-in-flight,classes.a.max=1,rules.a.priority=1,rules.a.qos-class=a,rules.a.ring=x | a | QoS rule 'a': 'ring' needs 'scope: ring' (is x)
					classes.a.kind=running-window,classes.a.units=1,classes.a.window=2d | a | QoS class 'a': 'window' must be from 1 ms to a day (is PT48H)
					rules.a.priority=1,rules.a.qos-class=events,rules.a.cost=items | a | can only count REQUESTS
					""")
	void mistakesFailTheStartWithTheReason(String properties, String offender, String reason) {
		String[] values = properties.split(",");
		for (int i = 0; i < values.length; i++) {
			values[i] = "sharding.qos." + values[i].strip();
		}
		this.on.withPropertyValues(values).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new QosFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains(reason);
			assertThat(analysis.getAction()).contains("'" + offender + "'", "sharding.qos.rules");
		});
	}

	@ParameterizedTest
	@CsvSource({ "remembered, 0, 'must be positive (is 0)'", "storage-quota, -1B, must not be negative (is -1B)",
			"storage-period, 0s, must be from 1 ms to a day (is PT0S)",
			"storage-period, 36500d, must be from 1 ms to a day", "unknown-items, -1, must not be negative (is -1)",
			"count-period, 0s, must be from 1 ms to a day (is PT0S)",
			"membership-period, -1s, must be from 1 ms to a day (is PT-1S)" })
	void valuesOutOfRangeFailTheStartWithTheProperty(String property, String value, String reason) {
		this.on.withPropertyValues("sharding.qos." + property + "=" + value).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = SpringFactoriesLoader.forDefaultResourceLocation()
				.load(FailureAnalyzer.class, (type, name, otherNeedsArguments) -> {
				})
				.stream()
				.map((analyzer) -> analyzer.analyze(context.getStartupFailure()))
				.filter((found) -> found != null)
				.findFirst()
				.orElseThrow();
			assertThat(analysis.getDescription()).contains("'sharding.qos." + property + "' " + reason);
			assertThat(analysis.getAction()).isNotBlank();
		});
	}

	@Test
	void eachPieceCanBeReplacedByABean() {
		Selector selector = (rules, request, measures) -> rules.rules().get(0);
		CostFunction cost = (rule, request, measures) -> 7;
		AccountingGroups accounting = (rule, request) -> request.target().resource();
		List<String> asked = new CopyOnWriteArrayList<>();
		Aggregation aggregation = (name, limit, longestWait, before) -> {
			asked.add(name + " " + limit);
			return (units) -> {
				asked.add(units + " units");
				return new OpenTurn();
			};
		};
		Limits limits = (rule, defined, shards) -> new QosClass.MaxInFlight(42);
		this.on.withBean("ownSelector", Selector.class, () -> selector)
			.withBean("ownCost", CostFunction.class, () -> cost)
			.withBean("ownAccounting", AccountingGroups.class, () -> accounting)
			.withBean("ownAggregation", Aggregation.class, () -> aggregation)
			.withBean("ownLimits", Limits.class, () -> limits)
			.run((context) -> {
				assertThat(context).hasSingleBean(Selector.class)
					.hasSingleBean(CostFunction.class)
					.hasSingleBean(AccountingGroups.class)
					.hasSingleBean(Aggregation.class)
					.hasSingleBean(Limits.class);
				Qos qos = context.getBean(Qos.class);
				assertThat(qos.enter(ApiRequest.of("DELETE", "/api/v1/namespaces/a/pods/p"))).isNotNull();
				assertThat(asked).contains("qos-" + qos.rules().rules().get(0).name() + ":pods MaxInFlight[max=42]",
						"7 units");
			});
	}

	@ParameterizedTest
	@ValueSource(
			classes = { Selector.class, CostFunction.class, AccountingGroups.class, Aggregation.class, Limits.class })
	void eachPieceHasADefault(Class<?> piece) {
		this.on.run((context) -> assertThat(context).hasSingleBean(piece));
	}

	@Test
	void registersItsLimitersWithTheApplication() {
		RateLimiterRegistry registry = RateLimiterRegistry.ofDefaults();
		this.on.withBean(RateLimiterRegistry.class, () -> registry)
			.withPropertyValues("sharding.qos.rules.all.priority=1", "sharding.qos.rules.all.qos-class=events")
			.run((context) -> {
				context.getBean(Qos.class).enter(ApiRequest.of("GET", "/api/v1/namespaces/a/pods/p"));
				assertThat(registry.find("qos-all")).isPresent();
			});
	}

	@Test
	void backsOffForAThrottleOfTheApplication() {
		this.on.withBean("own", RequestThrottle.class, () -> (request) -> null).run((context) -> {
			assertThat(context).doesNotHaveBean(Qos.class).doesNotHaveBean(QosEndpoint.class);
			assertThat(ThrottledClient.isLimited(context.getBean(KubernetesClient.class))).isTrue();
		});
	}

	@Test
	void needsNoActuator() {
		this.on.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.run((context) -> assertThat(context).hasSingleBean(Qos.class).doesNotHaveBean("qosEndpoint"));
	}

	@Test
	void endpointAddsUpdatesAndDeletes() {
		this.on.run((context) -> {
			QosEndpoint endpoint = context.getBean(QosEndpoint.class);
			String slow = "{kind: token-bucket, qps: 5, burst: 6}";
			assertThat(endpoint.define("classes", "slow", slow, null).getStatus()).isEqualTo(200);
			assertThat(endpoint.define("rules", "pods", "{priority: 7, qos-class: slow, paths: [/api/v1/pods]}", null)
				.getStatus()).isEqualTo(200);
			assertThat(endpoint.get("rules", "pods")).asInstanceOf(InstanceOfAssertFactories.MAP)
				.containsEntry("paths", List.of("/api/v1/pods"));
			assertRefused(endpoint.define("rules", "pods", "{priority: 8, qos-class: slow}", null),
					"There is a rule 'pods' already");
			assertThat(endpoint.define("rules", "pods", "{priority: 8, qos-class: slow}", true).getStatus())
				.isEqualTo(200);
			assertRefused(endpoint.delete("classes", "slow"), "Class 'slow' is in use by the rules [pods]");
			assertRefused(endpoint.define("classes", "bad", "{kind: token-bucket, qps: -1}", null),
					"'qps' must be above 0");
			assertRefused(endpoint.define("rules", "bad", "{priority: x, qos-class: slow}", null), "x");
			assertRefused(endpoint.define("rules", "bad", "{priority: 1, qos-clas: slow}", null), "qos-clas");
			assertThat(endpoint.delete("rules", "pods").getStatus()).isEqualTo(200);
			assertThat(endpoint.delete("classes", "slow").getStatus()).isEqualTo(200);
			assertThat(endpoint.delete("classes", "slow").getStatus()).isEqualTo(404);
			assertThat(endpoint.define("others", "x", "{}", null).getStatus()).isEqualTo(404);
		});
	}

	/** A limit that lets everything go. */
	private static final class OpenTurn implements Limiter.Turn {

		@Override
		public CompletableFuture<Void> ready() {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void leave() {
		}

	}

	private static void assertRefused(WebEndpointResponse<Object> response, String reason) {
		assertThat(response.getStatus()).isEqualTo(400);
		assertThat(String.valueOf(response.getBody())).contains(reason);
	}

	private ApplicationContextRunner configured() {
		return this.on.withPropertyValues("sharding.qos.built-in-rules=false",
				"sharding.qos.classes.slow.kind=token-bucket", "sharding.qos.classes.slow.qps=10",
				"sharding.qos.classes.slow.burst=12", "sharding.qos.classes.even.kind=leaky-bucket",
				"sharding.qos.classes.even.qps=2", "sharding.qos.classes.even.queue=7",
				"sharding.qos.classes.window.kind=running-window", "sharding.qos.classes.window.units=10000",
				"sharding.qos.classes.window.window=1m", "sharding.qos.classes.few.kind=max-in-flight",
				"sharding.qos.classes.few.max=5", "sharding.qos.rules.pods.priority=10",
				"sharding.qos.rules.pods.paths=/api/v1/pods",
				"sharding.qos.rules.pods.operations=list,delete-collection",
				"sharding.qos.rules.pods.conditions.predicted-items=1000",
				"sharding.qos.rules.pods.subjects.controller=greedy", "sharding.qos.rules.pods.qos-class=slow",
				"sharding.qos.rules.pods.scope=ring", "sharding.qos.rules.pods.max-wait=5s");
	}

	/* Nobody listens there. */
	private static KubernetesClient client() {
		return new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:1/")
				.withRequestRetryBackoffLimit(0)
				.build())
			.build();
	}

}
