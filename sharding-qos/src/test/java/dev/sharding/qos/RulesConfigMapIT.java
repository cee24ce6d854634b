package dev.sharding.qos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.qos.RememberedShape;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** Two applications whose rules come from one ConfigMap. */
@ControlPlaneTest
class RulesConfigMapIT {

	private static final String FEW = "{kind: max-in-flight, max: 3}";

	private static final String RULES = """
			sharding:
			  qos:
			    built-in-rules: false
			    classes:
			      few: { kind: max-in-flight, max: %d }
			    rules:
			      pods: { priority: 5, qos-class: few, paths: [/api/v1/pods] }
			""";

	private final KubernetesClient plain;

	private final String namespace;

	private final List<ConfigurableApplicationContext> applications = new ArrayList<>();

	RulesConfigMapIT(KubernetesClient plain, @TestNamespace String namespace) {
		this.plain = plain;
		this.namespace = namespace;
	}

	@AfterEach
	void stop() {
		this.applications.forEach(ConfigurableApplicationContext::close);
		for (String name : List.of("rules", "rules-shapes")) {
			this.plain.configMaps().inNamespace(this.namespace).withName(name).delete();
		}
	}

	@Test
	void whatWasLearntOfRequestsOutlivesTheProcess() {
		write(RULES.formatted(3).replace("/pods]", "/configmaps], conditions: { response-size: 1 }"));
		ConfigurableApplicationContext one = start();
		one.getBean(KubernetesClient.class).configMaps().inNamespace(this.namespace).list();
		await().untilAsserted(() -> assertThat(one.getBean(Qos.class).remembered()).isNotEmpty());
		RememberedShape learnt = one.getBean(Qos.class).remembered().get(0);
		one.close();
		ConfigurableApplicationContext next = start();
		assertThat(next.getBean(Qos.class).remembered()).singleElement().satisfies((known) -> {
			assertThat(known.shape()).isEqualTo(learnt.shape());
			assertThat(known.responseBytes()).isEqualTo(learnt.responseBytes());
			assertThat(known.items()).isEqualTo(learnt.items());
		});
		this.plain.configMaps().inNamespace(this.namespace).withName("rules-shapes").edit((map) -> {
			map.getData().put("shapes.json", "{");
			return map;
		});
		assertThat(start().getBean(Qos.class).remembered()).isEmpty();
		next.close();
		assertThat(start().getBean(Qos.class).remembered()).hasSize(1);
	}

	@Test
	void editByAnyToolReachesAllReplicasAndOutlivesThem() {
		ConfigurableApplicationContext one = start();
		ConfigurableApplicationContext other = start();
		assertThat(QosExport.yaml(rules(one))).contains("own:");
		assertThat(endpoint(one).list("origin", null, null, null, null)).isEqualTo(Map.of("origin", "configuration"));
		write(RULES.formatted(3));
		for (ConfigurableApplicationContext each : List.of(one, other)) {
			await().untilAsserted(() -> assertThat(rules(each).classes()).hasToString("{few=MaxInFlight[max=3]}"));
			assertThat(endpoint(each).all().get("origin")).asString().contains("origin=" + map(), "version=");
			assertThat(health(each).getStatus()).isEqualTo(Status.UP);
		}
		one.close();
		// In force before anything sends a request.
		assertThat(rules(start()).classes()).hasToString("{few=MaxInFlight[max=3]}");
		this.plain.configMaps().inNamespace(this.namespace).withName("rules").delete();
		await().untilAsserted(() -> assertThat(QosExport.yaml(rules(other))).contains("own:"));
		await().untilAsserted(
				() -> assertThat(endpoint(other).all().get("origin")).asString().contains("origin=configuration"));
	}

	@Test
	void whatCannotBeUsedKeepsTheLastGoodRulesAndSaysSo() {
		write(RULES.formatted(3));
		ConfigurableApplicationContext application = start();
		assertThat(rules(application).classes()).hasToString("{few=MaxInFlight[max=3]}");
		for (String bad : List.of("[", "a: b", RULES.formatted(0), RULES.formatted(1) + "    rulez: { a: 1 }\n",
				RULES.formatted(4).replace("qos-class: few", "qos-class: missing"))) {
			write(bad);
			await().untilAsserted(() -> assertThat(health(application).getStatus()).isEqualTo(Status.DOWN));
			assertThat(health(application).getDetails()).containsKey("refused");
			assertThat(refused(application)).isEqualTo(1);
			assertThat(rules(application).classes()).hasToString("{few=MaxInFlight[max=3]}");
			WebEndpointResponse<Object> edit = endpoint(application).define("classes", "new", FEW, null);
			assertThat(edit.getStatus()).isEqualTo(409);
			assertThat(edit.getBody()).asString().contains("correct or delete them first");
			write(RULES.formatted(3));
			await().untilAsserted(() -> assertThat(health(application).getStatus()).isEqualTo(Status.UP));
			assertThat(refused(application)).isZero();
		}
		await().untilAsserted(
				() -> assertThat(this.plain.events().v1().events().inNamespace(this.namespace).list().getItems())
					.anySatisfy((event) -> {
						assertThat(event.getReason()).isEqualTo("QosRulesRefused");
						assertThat(event.getRegarding().getName()).isEqualTo("rules");
						assertThat(event.getNote()).contains("names the class 'missing'");
					}));
	}

	@Test
	void rulesThatAreSwitchedOffAreKept() {
		String off = RULES.formatted(3).replace("  qos:\n", "  qos:\n    enabled: false\n");
		assertThat(off).contains("enabled: false");
		write(off);
		ConfigurableApplicationContext application = start();
		await().untilAsserted(() -> assertThat(rules(application).classes()).isEmpty());
		WebEndpointResponse<Object> edit = endpoint(application).define("classes", "new", FEW, null);
		assertThat(edit.getStatus()).isEqualTo(409);
		assertThat(edit.getBody()).asString().contains("'enabled: false'");
		assertThat(read().getData()).containsEntry("rules.yaml", off);
	}

	@Test
	void rulesThatAreNoTextAreRefusedAsWell() {
		write(RULES.formatted(3));
		ConfigurableApplicationContext application = start();
		this.plain.configMaps().inNamespace(this.namespace).withName("rules").edit((map) -> {
			map.setData(Map.of());
			map.setBinaryData(Map.of("rules.yaml", "/w=="));
			return map;
		});
		await().untilAsserted(() -> assertThat(health(application).getStatus()).isEqualTo(Status.DOWN));
		assertThat(health(application).getDetails().get("refused")).asString().contains("binary");
		assertThat(rules(application).classes()).hasToString("{few=MaxInFlight[max=3]}");
	}

	@Test
	void changeThroughTheEndpointReachesTheOtherAndLeavesOtherKeysAlone() {
		this.plain.resource(new ConfigMapBuilder(map("unused")).withData(Map.of("note", "mine")).build()).create();
		ConfigurableApplicationContext one = start();
		ConfigurableApplicationContext other = start();
		assertThat(endpoint(one).define("classes", "few", FEW, null).getStatus()).isEqualTo(200);
		assertThat(rules(one).classes()).containsEntry("few", new QosClass.MaxInFlight(3)).containsKey("own");
		await().untilAsserted(() -> assertThat(rules(other).classes()).isEqualTo(rules(one).classes()));
		assertThat(endpoint(other).define("classes", "few", FEW, null).getStatus()).isEqualTo(400);
		assertThat(endpoint(other).delete("classes", "few").getStatus()).isEqualTo(200);
		await().untilAsserted(() -> assertThat(rules(one).classes()).containsOnlyKeys("own"));
		assertThat(read().getData()).containsEntry("note", "mine").containsKey("rules.yaml");
	}

	@Test
	void changeMakesTheConfigMapUnlessSomebodyElseWasFaster() {
		ConfigurableApplicationContext application = start();
		RulesConfigMap configMap = application.getBean(RulesConfigMap.class);
		UnaryOperator<QosRules> late = (rules) -> {
			write(RULES.formatted(7));
			return rules;
		};
		assertThat(refusal(configMap, late).isConflict()).isTrue();
		await().untilAsserted(() -> assertThat(rules(application).classes()).hasToString("{few=MaxInFlight[max=7]}"));
		UnaryOperator<QosRules> again = (rules) -> {
			write(RULES.formatted(8));
			return rules;
		};
		assertThat(refusal(configMap, again)).hasMessageContaining("Somebody else changed ConfigMap 'rules'");
		await().untilAsserted(() -> assertThat(rules(application).classes()).hasToString("{few=MaxInFlight[max=8]}"));
		this.plain.configMaps().inNamespace(this.namespace).withName("rules").delete();
		await().untilAsserted(() -> assertThat(rules(application).classes()).containsOnlyKeys("own"));
		assertThat(endpoint(application).define("classes", "few", FEW, null).getStatus()).isEqualTo(200);
		assertThat(read().getData()).containsOnlyKeys("rules.yaml");
	}

	@Test
	void withoutTheRightToReadItTheRulesOfTheConfigurationAreInForceAndHealthSaysSo() {
		ConfigurableApplicationContext application = start(new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(this.plain.getConfiguration()).withImpersonateUsername("nobody").build())
			.build());
		await().untilAsserted(() -> assertThat(health(application).getStatus()).isEqualTo(Status.DOWN));
		assertThat(health(application).getDetails().get("lastError")).asString().contains("forbidden");
		assertThat(rules(application).classes()).containsOnlyKeys("own");
		assertThat(endpoint(application).define("classes", "few", FEW, null).getStatus()).isEqualTo(503);
	}

	private static RulesNotWrittenException refusal(RulesConfigMap configMap, UnaryOperator<QosRules> change) {
		return Assertions.assertThrows(RulesNotWrittenException.class, () -> configMap.change(change));
	}

	private ConfigurableApplicationContext start() {
		return start(new KubernetesClientBuilder().withConfig(this.plain.getConfiguration()).build());
	}

	private ConfigurableApplicationContext start(KubernetesClient client) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		TestPropertyValues
			.of("sharding.qos.enabled=true", "sharding.qos.built-in-rules=false", "sharding.qos.config-map.name=rules",
					"sharding.qos.config-map.namespace=" + this.namespace,
					"sharding.qos.classes.own.kind=max-in-flight", "sharding.qos.classes.own.max=9")
			.applyTo(context);
		context.registerBean(KubernetesClient.class, () -> client);
		context.registerBean(MeterRegistry.class, SimpleMeterRegistry::new);
		context.register(QosAutoConfiguration.class, QosEndpointAutoConfiguration.class,
				QosHealthAutoConfiguration.class);
		context.refresh();
		this.applications.add(context);
		return context;
	}

	private void write(String text) {
		this.plain.resource(new ConfigMapBuilder(map("rules.yaml")).withData(Map.of("rules.yaml", text)).build())
			.createOr((map) -> map.update());
	}

	private ConfigMap read() {
		return this.plain.configMaps().inNamespace(this.namespace).withName("rules").require();
	}

	private ConfigMap map(String key) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName("rules")
			.endMetadata()
			.addToData(key, "")
			.build();
	}

	private String map() {
		return "ConfigMap " + this.namespace + "/rules";
	}

	private static QosRules rules(ConfigurableApplicationContext application) {
		return application.getBean(Qos.class).rules();
	}

	private static QosEndpoint endpoint(ConfigurableApplicationContext application) {
		return application.getBean(QosEndpoint.class);
	}

	private static Health health(ConfigurableApplicationContext application) {
		return application.getBean(HealthIndicator.class).health();
	}

	private static double refused(ConfigurableApplicationContext application) {
		return application.getBean(MeterRegistry.class).get("sharding.qos.rules.refused").gauge().value();
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(1));
	}

}
