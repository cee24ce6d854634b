package dev.sharding.internal.sharder.app;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sharding.internal.sharder.assignment.placement.AssignmentMode;
import dev.sharding.internal.sharder.webhook.WebhookOptions;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirementBuilder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SharderConfigFileTests {

	private static final String HEAD = """
			apiVersion: config.sharding.timebertt.dev/v1alpha1
			kind: SharderConfig
			""";

	@Test
	@DisplayName("6, 8, 9, 10 an empty file means the defaults of the Go sharder")
	void hasTheDefaultsOfTheGoSharder() {
		Map<String, Object> properties = read("");
		assertThat(properties).containsEntry("server.port", 8081)
			.containsEntry("management.server.port", 8080)
			.containsEntry("management.endpoints.web.exposure.include", "health,prometheus")
			.containsEntry("spring.lifecycle.timeout-per-shutdown-phase", "PT15S");
		ElectionProperties election = bind(properties, "sharding.sharder.leader-election", ElectionProperties.class);
		assertThat(election)
			.isEqualTo(new ElectionProperties(true, "sharding-system", "sharder", Duration.ofSeconds(15), null, null));
		SharderProperties sharder = bind(properties, "sharding.sharder", SharderProperties.class);
		assertThat(sharder).isEqualTo(new SharderProperties(Duration.ofMinutes(5), 100,
				Set.of("kube-system", "sharding-system"), AssignmentMode.BOTH, Duration.ofSeconds(30), Duration.ZERO, 0,
				Duration.ofMinutes(10), Set.of(), Duration.ofSeconds(3)));
		WebhookOptions webhook = webhook(properties);
		assertThat(webhook.template().clientConfig().getService().getNamespace()).isEqualTo("sharding-system");
		assertThat(webhook.template().clientConfig().getService().getName()).isEqualTo("sharder");
		assertThat(webhook.template().annotations()).isEmpty();
		assertThat(webhook.template().namespaceSelector().getMatchExpressions())
			.containsExactly(new LabelSelectorRequirementBuilder().withKey("kubernetes.io/metadata.name")
				.withOperator("NotIn")
				.withValues("kube-system", "sharding-system")
				.build());
	}

	@Test
	@DisplayName("5, 7 every field of the Go sharder's file is accepted")
	void acceptsEveryField() {
		Map<String, Object> properties = read("""
				clientConnection: {kubeconfig: /k, contentType: a, acceptContentTypes: b, qps: 100, burst: 150}
				leaderElection:
				  leaderElect: false
				  leaseDuration: 1m30s
				  renewDeadline: 60s
				  retryPeriod: 500ms
				  resourceLock: leases
				  resourceName: my-sharder
				  resourceNamespace: my-system
				debugging: {enableProfiling: true, enableContentionProfiling: false}
				health: {bindAddress: "127.0.0.1:9081"}
				metrics: {bindAddress: "0"}
				gracefulShutDown: 1m
				controller:
				  sharder: {syncPeriod: 10m, concurrentMoves: 20}
				webhook:
				  server: {certDir: /certs, certName: a.crt, keyName: a.key}
				  config:
				    annotations: {cert-manager.io/inject-ca-from: sharding-system/webhook-server}
				    clientConfig:
				      service: {namespace: other, name: hook, port: 8443}
				      caBundle: Zm9v
				    namespaceSelector:
				      matchLabels: {team.example/name: a}
				      matchExpressions:
				      - {key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system, "x"]}
				""");
		assertThat(properties).containsEntry("server.port", 9081)
			.containsEntry("server.address", "127.0.0.1")
			.doesNotContainKeys("management.server.port", "management.endpoints.web.exposure.include");
		assertThat(bind(properties, "sharding.sharder.leader-election", ElectionProperties.class))
			.isEqualTo(new ElectionProperties(false, "my-system", "my-sharder", Duration.ofSeconds(90),
					Duration.ofSeconds(60), Duration.ofMillis(500)));
		SharderProperties sharder = bind(properties, "sharding.sharder", SharderProperties.class);
		assertThat(sharder.syncPeriod()).isEqualTo(Duration.ofMinutes(10));
		assertThat(sharder.concurrentMoves()).isEqualTo(20);
		WebhookOptions webhook = webhook(properties);
		assertThat(webhook.certificates())
			.isEqualTo(new WebhookOptions.Files(Path.of("/certs/a.crt"), Path.of("/certs/a.key")));
		assertThat(webhook.template().annotations()).containsEntry("cert-manager.io/inject-ca-from",
				"sharding-system/webhook-server");
		assertThat(webhook.template().clientConfig().getService().getPort()).isEqualTo(8443);
		assertThat(webhook.template().clientConfig().getCaBundle()).isEqualTo("Zm9v");
		assertThat(webhook.template().namespaceSelector().getMatchLabels()).isEqualTo(Map.of("team.example/name", "a"));
		assertThat(webhook.template().namespaceSelector().getMatchExpressions().get(0).getValues())
			.isEqualTo(List.of("kube-system", "x"));
	}

	@Test
	void leavesCertManagerOutWhereTheSharderMakesItsCertificates() {
		Map<String, Object> properties = read("""
				webhook:
				  config:
				    annotations:
				      cert-manager.io/inject-ca-from: sharding-system/webhook-server
				      cert-manager.io/inject-ca-from-secret: sharding-system/webhook-server
				      mine: kept
				""");
		ListAppender<ILoggingEvent> logged = new ListAppender<>();
		Logger logger = (Logger) LoggerFactory.getLogger(WebhookProperties.class);
		logged.start();
		logger.addAppender(logged);
		WebhookOptions webhook = webhook(properties);
		logger.detachAppender(logged);
		assertThat(webhook.certificates()).isInstanceOf(WebhookOptions.Shared.class);
		assertThat(webhook.template().annotations()).isEqualTo(Map.of("mine", "kept"));
		assertThat(logged.list).singleElement().satisfies((event) -> {
			assertThat(event.getLevel()).isEqualTo(Level.WARN);
			assertThat(event.getFormattedMessage()).contains("cert-manager.io/inject-*");
		});
	}

	@Test
	@DisplayName("74 the namespaces of the file are those of the watch as well")
	void selectsTheSameNamespacesForTheWatch() {
		Map<String, Object> properties = read("""
				webhook: {config: {namespaceSelector: {matchLabels: {team: a}}}}
				""");
		WebhookProperties webhook = bind(properties, "sharding.sharder.webhook", WebhookProperties.class);
		assertThat(webhook.selector()).isEqualTo(webhook(properties).template().namespaceSelector());
		assertThat(webhook.selector().getMatchLabels()).isEqualTo(Map.of("team", "a"));
	}

	@Test
	void listensNowhereIfTheAddressSaysSo() {
		assertThat(read("health: {bindAddress: '0'}")).containsEntry("server.port", -1);
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', value = {
			"controller: {sharder: {syncPeriod: 0s}}; sharding.sharder; 'sharding.sharder.sync-period' must be positive",
			"leaderElection: {leaseDuration: 5s, renewDeadline: 9s}; sharding.sharder.leader-election; 'sharding.sharder.leader-election.*': 'renewDeadline' must be shorter" })
	void saysWhichPropertyIsWrong(String content, String prefix, String message) {
		Class<?> type = prefix.endsWith("election") ? ElectionProperties.class : SharderProperties.class;
		assertThatThrownBy(() -> bind(read(content), prefix, type)).hasStackTraceContaining(message);
	}

	@Test
	void takesTheUrlAndTheSwitchOfTheEnvironment() {
		Map<String, Object> properties = SharderConfigFile.of(
				new Yaml()
					.load(HEAD + "webhook: {config: {clientConfig: {url: 'https://host.docker.internal:9443/'}}}"),
				Map.of("LEADER_ELECT", "false"));
		assertThat(bind(properties, "sharding.sharder.leader-election", ElectionProperties.class).enabled()).isFalse();
		assertThat(webhook(properties).template().clientConfig().getUrl())
			.isEqualTo("https://host.docker.internal:9443/");
	}

	@ParameterizedTest
	@ValueSource(strings = { "controller: {sharder: {syncperiod: 1m}}", "webhok: {}", "gracefulShutDown: soon",
			"leaderElection: {resourceLock: configmaps}", "health: {bindAddress: nowhere}", "webhook: true",
			"webhook: {config: {namespaceSelector: {matchExpressions: [{ky: a}]}}}" })
	void refusesWhatItDoesNotKnow(String content) {
		assertThatIllegalArgumentException().isThrownBy(() -> read(content));
	}

	@Test
	void refusesOtherFiles() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> SharderConfigFile.of(new Yaml().load("kind: Config"), Map.of()))
			.withMessageContaining("config.sharding.timebertt.dev/v1alpha1");
	}

	@ParameterizedTest
	@CsvSource({ "0, PT0S", "15s, PT15S", "1m30s, PT1M30S", "1.5h, PT1H30M", "300ms, PT0.3S", "-1s, PT-1S" })
	void readsDurationsOfGo(String text, Duration expected) {
		assertThat(GoDuration.parse(text)).isEqualTo(expected);
	}

	@Test
	void findsTheArgument() {
		assertThat(SharderConfigFile.argument(new String[] { "--a", "--config=/x.yaml" }))
			.isEqualTo(Path.of("/x.yaml"));
		assertThat(SharderConfigFile.argument(new String[] { "--config", "/x.yaml" })).isEqualTo(Path.of("/x.yaml"));
		assertThat(SharderConfigFile.argument(new String[] { "--configs=/x.yaml" })).isNull();
	}

	@Test
	@DisplayName("8 LEADER_ELECT counts also without a file")
	void takesTheSwitchOfTheEnvironmentWithoutAFile() {
		Map<String, Object> properties = SharderConfigFile.ofArguments(new String[0], Map.of("LEADER_ELECT", "false"));
		assertThat(bind(properties, "sharding.sharder.leader-election", ElectionProperties.class).enabled()).isFalse();
		assertThat(SharderConfigFile.ofArguments(new String[0], Map.of())).isEmpty();
	}

	@Test
	void saysByNameWhichFlagsOfTheGoSharderHaveNoEffect() {
		Logger logger = (Logger) LoggerFactory.getLogger(SharderConfigFile.class);
		ListAppender<ILoggingEvent> warnings = new ListAppender<>();
		warnings.start();
		logger.addAppender(warnings);
		try {
			SharderConfigFile.ofArguments(new String[] { "--zap-log-level=debug", "--server.port=1", "--zap-devel" },
					Map.of());
		}
		finally {
			logger.detachAppender(warnings);
		}
		assertThat(warnings.list).singleElement().satisfies((warning) -> {
			assertThat(warning.getLevel()).isEqualTo(Level.WARN);
			assertThat(warning.getFormattedMessage()).contains("--zap-log-level=debug", "--zap-devel", "logging.level")
				.doesNotContain("server.port");
		});
	}

	private static Map<String, Object> read(String content) {
		return SharderConfigFile.of(new Yaml().load(HEAD + content), Map.of());
	}

	private static WebhookOptions webhook(Map<String, Object> properties) {
		return bind(properties, "sharding.sharder.webhook", WebhookProperties.class).toOptions(true,
				Set.of("kube-system", "sharding-system"), new DefaultSslBundleRegistry());
	}

	private static <T> T bind(Map<String, Object> properties, String prefix, Class<T> type) {
		return new Binder(new MapConfigurationPropertySource(new LinkedHashMap<>(properties))).bindOrCreate(prefix,
				type);
	}

}
