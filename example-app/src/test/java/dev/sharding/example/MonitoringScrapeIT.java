package dev.sharding.example;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.client.KubernetesConnectionDetails;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.ManagedProcess;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What panels and alerts ask for is in what Prometheus scrapes from an application at
 * work, which runs a sharder, too.
 */
class MonitoringScrapeIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension.own((builder) -> {
	});

	/** Metrics that a scrape in good health does not have, and why. */
	private static final Map<String, String> ABSENT = Map.of( //
			"sharding_user_code_stuck_seconds", "there only while code does not return",
			"controller_sharding_conflicts_total", "there once a patch of the sharder met a change",
			"controller_sharding_webhook_certificate_expiry_seconds", "in the program of the sharder alone");

	/** Values that a scrape in good health does not have: what went wrong. */
	private static final Map<String, Set<String>> ABSENT_VALUES = Map.of("sharding_cache_reads_total",
			Set.of("outcome=fallback", "outcome=refused"));

	private static final int SECRETS = 40;

	private final HttpClient http = HttpClient.newHttpClient();

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final String namespace;

	MonitoringScrapeIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.client = client;
		this.namespace = namespace;
		CustomResourceDefinitions.apply(client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
	}

	@Test
	void everyQueryFindsItsMetricsAndLabels() throws Exception {
		try (ConfigurableApplicationContext application = start("scraped-1", "--sharding.sharder.enabled=true",
				"--sharding.sharder.leader-election.namespace=" + this.namespace)) {
			IntStream.range(0, SECRETS).forEach(this::secret);
			soon().until(() -> owned("scraped-1") == SECRETS);
			try (ConfigurableApplicationContext other = start("scraped-2")) {
				soon().until(() -> owned("scraped-2") > 0 && owned("scraped-1") + owned("scraped-2") == SECRETS);
			}
			read(application.getBean(ResourceCaches.class), this.controlPlane.apiServer().process());
			readByBarrier(application);
			limit(application.getBean(KubernetesClient.class));
			Map<String, Set<String>> asked = MonitoringQueries.asked();
			assertThat(asked).hasSizeGreaterThan(50).containsKeys(ABSENT.keySet().toArray(String[]::new));
			asked.keySet().removeAll(ABSENT.keySet());
			ABSENT_VALUES.forEach((metric, values) -> {
				assertThat(asked.get(metric)).containsAll(values);
				asked.get(metric).removeAll(values);
			});
			ResourceCache<ConfigMap> configMaps = application.getBean(ResourceCaches.class).of(ConfigMap.class);
			List<String> scrapes = new ArrayList<>();
			soon().ignoreExceptionsInstanceOf(ConsistentReadException.class).untilAsserted(() -> {
				// One that is compared: nothing is written meanwhile.
				configMaps.list();
				scrapes.clear();
				scrapes.add(scrape(application));
				assertThat(missing(asked, scrapes.get(0))).isEmpty();
			});
			configMaps.list(ListOptions.all().freshness(Freshness.CONSISTENT));
			scrapes.add(scrape(application));
			evaluate(scrapes);
		}
	}

	/* By Prometheus itself: what it cannot read or match, or warns of, is in no panel. */
	private static void evaluate(List<String> scrapes) throws Exception {
		List<MonitoringQueries.Query> queries = MonitoringQueries.all();
		List<PromqlEngine.Answer> answers = PromqlEngine.evaluate(scrapes,
				queries.stream().map(MonitoringQueries.Query::text).toList());
		assertThat(answers).hasSameSizeAs(queries).hasSizeGreaterThan(70);
		for (int i = 0; i < answers.size(); i++) {
			MonitoringQueries.Query query = queries.get(i);
			PromqlEngine.Answer answer = answers.get(i);
			assertThat(answer.problems()).as(query.text()).isEmpty();
			List<PromqlEngine.Answer> shown = query.drawn() ? List.of(answer) : answer.compared();
			assertThat(shown).as(query.text()).isNotEmpty();
			for (PromqlEngine.Answer one : shown) {
				assertThat(one.problems()).as(one.query()).isEmpty();
				if (inGoodHealth(one.query())) {
					assertThat(one.series()).as(one.query()).isPositive();
				}
			}
			if (shown.get(0).series() > 0) {
				assertThat(query.named()).as(query.text()).isSubsetOf(shown.get(0).labels());
			}
		}
	}

	private static boolean inGoodHealth(String query) {
		return ABSENT.keySet().stream().noneMatch(query::contains) && !query.contains("outcome=\"fallback\"");
	}

	private static Map<String, Set<String>> missing(Map<String, Set<String>> asked, String scrape) {
		Map<String, Set<String>> exposed = MonitoringQueries.exposed(scrape);
		Map<String, Set<String>> missing = new TreeMap<>();
		asked.forEach((metric, labels) -> {
			if (!exposed.containsKey(metric)) {
				missing.put(metric, Set.of("the metric itself"));
			}
			else if (!exposed.get(metric).containsAll(labels)) {
				Set<String> without = new TreeSet<>(labels);
				without.removeAll(exposed.get(metric));
				missing.put(metric, without);
			}
		});
		return missing;
	}

	/* The last one asks an API server that takes the question and says nothing. */
	private static void read(ResourceCaches caches, ManagedProcess server) {
		ResourceCache<ConfigMap> configMaps = caches.of(ConfigMap.class);
		configMaps.list(ListOptions.all().freshness(Freshness.CONSISTENT));
		configMaps.list(ListOptions.all().freshness(Freshness.LIVE));
		Freshness late = Freshness.CONSISTENT.within(Duration.ofMillis(10));
		server.pause();
		try {
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> configMaps.list(ListOptions.all().freshness(late)));
		}
		finally {
			server.resume();
		}
	}

	private void readByBarrier(ConfigurableApplicationContext application) throws Exception {
		HttpRequest.Builder request = HttpRequest.newBuilder(uri(application, "reads/configmaps"));
		HttpRequest override = request.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString("{\"strategy\": \"barrier\"}"))
			.build();
		assertThat(this.http.send(override, HttpResponse.BodyHandlers.discarding()).statusCode()).isEqualTo(200);
		application.getBean(ResourceCaches.class)
			.of(ConfigMap.class)
			.list(ListOptions.all().freshness(Freshness.CONSISTENT));
		assertThat(this.http.send(request.DELETE().build(), HttpResponse.BodyHandlers.discarding()).statusCode())
			.isEqualTo(200);
	}

	/*
	 * Lists of Services wait, those of Pods are refused: on a machine that stalls for
	 * seconds between two of them as well.
	 */
	private static void limit(KubernetesClient limited) {
		limited.services().inAnyNamespace().list();
		limited.services().inAnyNamespace().list();
		assertThatException().isThrownBy(() -> {
			limited.pods().inAnyNamespace().list();
			limited.pods().inAnyNamespace().list();
		});
	}

	private ConfigurableApplicationContext start(String shard, String... more) {
		Config config = this.controlPlane.admin().config();
		KubernetesConnectionDetails connection = () -> config;
		List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--sharding.ring=checksums",
				"--management.endpoints.web.exposure.include=prometheus,reads",
				"--management.endpoint.reads.access=unrestricted", "--sharding.shard-name=" + shard,
				"--sharding.definition.apply=true", "--sharding.lease.namespace=" + this.namespace,
				"--sharding.lease.duration=15s", "--sharding.namespaces=" + this.namespace,
				"--sharding.cache.check-period=1s", "--sharding.cache.check-reads=1",
				"--sharding.qos.config-map.name=limits", "--sharding.qos.config-map.namespace=" + this.namespace,
				"--sharding.qos.enabled=true", "--sharding.qos.storage-quota=2GB",
				"--sharding.qos.classes.slow.kind=token-bucket", "--sharding.qos.classes.slow.qps=0.2",
				"--sharding.qos.classes.scarce.kind=token-bucket", "--sharding.qos.classes.scarce.qps=0.005",
				"--sharding.qos.rules.waits.priority=100", "--sharding.qos.rules.waits.qos-class=slow",
				"--sharding.qos.rules.waits.paths=/api/v1/services", "--sharding.qos.rules.refuses.priority=100",
				"--sharding.qos.rules.refuses.qos-class=scarce", "--sharding.qos.rules.refuses.paths=/api/v1/pods",
				"--sharding.qos.rules.refuses.max-wait=0s"));
		arguments.addAll(List.of(more));
		ConfigurableApplicationContext application = new SpringApplicationBuilder(ChecksumApplication.class)
			.initializers((context) -> ((ConfigurableApplicationContext) context).getBeanFactory()
				.registerSingleton("connection", connection))
			.run(arguments.toArray(String[]::new));
		soon().until(() -> application.getBean(Shard.class).phase() == RuntimePhase.RUNNING);
		return application;
	}

	private void secret(int number) {
		this.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("s-" + number)
				.endMetadata()
				.addToStringData("key", "value")
				.build())
			.create();
	}

	private long owned(String shard) {
		return this.client.secrets()
			.inNamespace(this.namespace)
			.withLabel(ShardingLabels.shard("checksums"), shard)
			.list()
			.getItems()
			.size();
	}

	private String scrape(ConfigurableApplicationContext application) throws IOException, InterruptedException {
		HttpResponse<String> answer = this.http.send(HttpRequest.newBuilder(uri(application, "prometheus")).build(),
				HttpResponse.BodyHandlers.ofString());
		assertThat(answer.statusCode()).isEqualTo(200);
		return answer.body();
	}

	private static URI uri(ConfigurableApplicationContext application, String endpoint) {
		String port = application.getEnvironment().getRequiredProperty("local.server.port");
		return URI.create("http://localhost:" + port + "/actuator/" + endpoint);
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(120)).pollInterval(Duration.ofMillis(200));
	}

}
