package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.sharding.core.qos.Condition;
import dev.sharding.core.qos.Measure;
import dev.sharding.core.qos.Operation;
import dev.sharding.core.qos.PathPrefix;
import dev.sharding.core.qos.QosClass;
import dev.sharding.core.qos.QosRule;
import dev.sharding.core.qos.Subject;
import dev.sharding.kubernetes.qos.Qos;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.RequestThrottle;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class QosAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(AutoConfigurations
		.of(QosAutoConfiguration.class, QosEndpointAutoConfiguration.class, KubernetesClientAutoConfiguration.class));

	private final ApplicationContextRunner on = this.runner.withPropertyValues("sharding.qos.enabled=true");

	@Test
	void isOffByDefault() {
		this.runner.run((context) -> {
			assertThat(context).doesNotHaveBean(Qos.class).doesNotHaveBean(QosEndpoint.class);
			assertThat(RequestThrottle.Tag.isOn(context.getBean(KubernetesClient.class).getHttpClient())).isFalse();
		});
	}

	@Test
	void builtInRulesAreActiveWhenOn() {
		this.on.run((context) -> {
			assertThat(context.getBean(Qos.class).rules().rules()).extracting(QosRule::name)
				.containsExactly("events-under-storage-pressure", "large-lists");
			assertThat(RequestThrottle.Tag.isOn(context.getBean(KubernetesClient.class).getHttpClient())).isTrue();
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
	@SuppressWarnings("unchecked")
	void whatIsExportedCanBePastedIntoTheConfiguration() {
		configured().run((context) -> {
			Qos qos = context.getBean(Qos.class);
			Map<String, Object> exported = (Map<String, Object>) context.getBean(QosEndpoint.class)
				.list("export", null, null, null, null);
			Map<String, Object> flat = new LinkedHashMap<>();
			flatten("", exported, flat);
			this.runner
				.withPropertyValues(flat.entrySet()
					.stream()
					.map((entry) -> entry.getKey() + "=" + entry.getValue())
					.toArray(String[]::new))
				.run((copy) -> {
					assertThat(copy.getBean(Qos.class).rules().rules()).isEqualTo(qos.rules().rules());
					assertThat(copy.getBean(Qos.class).rules().classes()).isEqualTo(qos.rules().classes());
				});
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					classes.a.kind=token-bucket                    | QoS class 'a': 'qps' must be set
					classes.large-lists.kind=max-in-flight,classes.large-lists.max=0 | QoS class 'large-lists': 'max' must be at least 1 (is 0)
					rules.a.priority=1,rules.a.qos-class=missing   | Rule 'a' names the class 'missing', which is not defined
					rules.a.priority=0,rules.a.qos-class=events    | The priority of rule 'a' must be from 1 to 100 (is 0)
					rules.a.priority=90,rules.a.qos-class=events   | have the same priority 90
					rules.a.priority=1,rules.a.qos-class=events,rules.a.paths=pods | QoS rule 'a': 'pods' is no path of the API
					rules.a.priority=1,rules.a.qos-class=events,rules.a.conditions.storage-used=2 | QoS rule 'a': The threshold of
					""")
	void mistakesFailTheStartWithTheReason(String properties, String reason) {
		String[] values = properties.split(",");
		for (int i = 0; i < values.length; i++) {
			values[i] = "sharding.qos." + values[i].strip();
		}
		this.on.withPropertyValues(values)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.satisfies((cause) -> assertThat(context.getStartupFailure()).hasStackTraceContaining(reason)));
	}

	@Test
	void registersItsLimitersWithTheApplication() {
		RateLimiterRegistry registry = RateLimiterRegistry.ofDefaults();
		this.on.withBean(RateLimiterRegistry.class, () -> registry)
			.withPropertyValues("sharding.qos.rules.all.priority=1", "sharding.qos.rules.all.qos-class=events")
			.run((context) -> {
				context.getBean(Qos.class).enter(ApiRequest.of("GET", "/api/v1/pods"), false);
				assertThat(registry.find("qos-all")).isPresent();
			});
	}

	@Test
	void backsOffForAThrottleOfTheApplication() {
		this.on.withBean("own", RequestThrottle.class, () -> (request, opensStream) -> null).run((context) -> {
			assertThat(context).doesNotHaveBean(Qos.class).doesNotHaveBean(QosEndpoint.class);
			assertThat(RequestThrottle.Tag.isOn(context.getBean(KubernetesClient.class).getHttpClient())).isTrue();
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
			Map<String, Object> slow = Map.of("kind", "token-bucket", "qps", 5, "burst", 6);
			assertThat(endpoint.define("classes", "slow", slow, null).getStatus()).isEqualTo(200);
			assertThat(endpoint
				.define("rules", "pods", Map.of("priority", 7, "qos-class", "slow", "paths", List.of("/api/v1/pods")),
						null)
				.getStatus()).isEqualTo(200);
			assertThat(endpoint.get("rules", "pods")).asInstanceOf(InstanceOfAssertFactories.MAP)
				.containsEntry("paths", List.of("/api/v1/pods"));
			assertRefused(endpoint.define("rules", "pods", Map.of("priority", 8, "qos-class", "slow"), null),
					"There is a rule 'pods' already");
			assertThat(endpoint.define("rules", "pods", Map.of("priority", 8, "qos-class", "slow"), true).getStatus())
				.isEqualTo(200);
			assertRefused(endpoint.delete("classes", "slow"),
					"Rule 'pods' names the class 'slow', which is not defined");
			assertRefused(endpoint.define("classes", "bad", Map.of("kind", "token-bucket", "qps", -1), null),
					"'qps' must be above 0");
			assertRefused(endpoint.define("rules", "bad", Map.of("priority", "x", "qos-class", "slow"), null), "x");
			assertThat(endpoint.delete("rules", "pods").getStatus()).isEqualTo(200);
			assertThat(endpoint.delete("classes", "slow").getStatus()).isEqualTo(200);
			assertThat(endpoint.delete("classes", "slow").getStatus()).isEqualTo(404);
			assertThat(endpoint.define("others", "x", Map.of(), null).getStatus()).isEqualTo(404);
		});
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

	private static void flatten(String prefix, Object value, Map<String, Object> flat) {
		if (value instanceof Map<?, ?> map) {
			map.forEach((key, nested) -> flatten(prefix.isEmpty() ? "" + key : prefix + "." + key, nested, flat));
		}
		else if (value instanceof List<?> list) {
			for (int i = 0; i < list.size(); i++) {
				flatten(prefix + "[" + i + "]", list.get(i), flat);
			}
		}
		else {
			flat.put(prefix, value);
		}
	}

}
