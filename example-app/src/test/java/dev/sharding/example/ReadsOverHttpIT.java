package dev.sharding.example;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.client.KubernetesConnectionDetails;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint of the strategies of consistent reads as {@code curl} sees it, in an
 * application at work.
 */
@ControlPlaneTest
class ReadsOverHttpIT {

	private static final String DEFAULT = "{strategy=validated, origin=default}";

	private final HttpClient http = HttpClient.newHttpClient();

	private final ControlPlane controlPlane;

	private final String namespace;

	ReadsOverHttpIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.namespace = namespace;
		CustomResourceDefinitions.apply(client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
	}

	@Test
	void showsAndRefusesChangesUnlessTheyAreAllowed() throws Exception {
		try (ConfigurableApplicationContext application = start("shown",
				"--management.endpoints.web.exposure.include=reads")) {
			assertThat(inForce(application, "shown", "configmaps")).isEqualTo(DEFAULT);
			assertThat(inForce(application, "shown", "secrets")).isEqualTo(DEFAULT);
			// There is nothing at the path of one resource but what changes it.
			assertThat(override(application, "configmaps", "{\"strategy\": \"live\"}").statusCode()).isEqualTo(404);
			assertThat(send(application, "/configmaps", HttpRequest.newBuilder().DELETE()).statusCode()).isEqualTo(404);
			assertThat(inForce(application, "shown", "configmaps")).isEqualTo(DEFAULT);
			assertThat(readsByTheApiServer(application)).isZero();
		}
		try (ConfigurableApplicationContext application = start("hidden",
				"--management.endpoint.reads.access=unrestricted")) {
			assertThat(send(application, "", HttpRequest.newBuilder()).statusCode()).as("not exposed").isEqualTo(404);
		}
	}

	@Test
	void theStrategyOfOneResourceIsOverriddenWhileTheApplicationRuns() throws Exception {
		try (ConfigurableApplicationContext application = start("overridden",
				"--management.endpoints.web.exposure.include=reads",
				"--management.endpoint.reads.access=unrestricted")) {
			assertThat(readsByTheApiServer(application)).isZero();
			HttpResponse<String> changed = override(application, "configmaps", "{\"strategy\": \"live\"}");
			assertThat(changed.statusCode()).isEqualTo(200);
			assertThat(JsonPath.<Map<String, Object>>read(changed.body(), "$.rings.overridden"))
				.isEqualTo(Map.of("strategy", "live", "origin", "override"));
			assertThat(inForce(application, "overridden", "configmaps")).isEqualTo("{strategy=live, origin=override}");
			assertThat(inForce(application, "overridden", "secrets")).isEqualTo(DEFAULT);
			assertThat(readsByTheApiServer(application)).isOne();
			HttpResponse<String> other = override(application, "configmaps",
					"{\"strategy\": \"barrier\", \"ring\": \"other\"}");
			assertThat(other.statusCode()).isEqualTo(400);
			assertThat(JsonPath.<String>read(other.body(), "$.offender")).isEqualTo("other");
			HttpResponse<String> unknown = override(application, "configmaps", "{\"strategy\": \"quick\"}");
			assertThat(unknown.statusCode()).isEqualTo(400);
			assertThat(JsonPath.<String>read(unknown.body(), "$.reason"))
				.isEqualTo("'strategy' must be validated, barrier or live (is quick)");
			assertThat(inForce(application, "overridden", "configmaps")).isEqualTo("{strategy=live, origin=override}");
			assertThat(send(application, "/configmaps?ring=overridden", HttpRequest.newBuilder().DELETE()).statusCode())
				.isEqualTo(200);
			assertThat(inForce(application, "overridden", "configmaps")).isEqualTo(DEFAULT);
			assertThat(readsByTheApiServer(application)).isOne();
		}
	}

	/* How many of the lists so far, one more included, were not answered by memory. */
	private static double readsByTheApiServer(ConfigurableApplicationContext application) {
		ResourceCache<ConfigMap> configMaps = application.getBean(ResourceCaches.class).of(ConfigMap.class);
		configMaps.list(ListOptions.all().freshness(Freshness.CONSISTENT));
		Counter counter = application.getBean(MeterRegistry.class)
			.find("sharding.cache.reads")
			.tags("resource", "configmaps.v1", "strategy", "live", "outcome", "live")
			.counter();
		return (counter != null) ? counter.count() : 0;
	}

	private ConfigurableApplicationContext start(String ring, String... more) {
		Config config = this.controlPlane.admin().config();
		KubernetesConnectionDetails connection = () -> config;
		List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--sharding.ring=" + ring,
				"--sharding.shard-name=" + ring + "-1", "--sharding.definition.apply=true",
				"--sharding.lease.namespace=" + this.namespace, "--sharding.namespaces=" + this.namespace));
		arguments.addAll(List.of(more));
		ConfigurableApplicationContext application = new SpringApplicationBuilder(ChecksumApplication.class)
			.initializers((context) -> ((ConfigurableApplicationContext) context).getBeanFactory()
				.registerSingleton("connection", connection))
			.run(arguments.toArray(String[]::new));
		Awaitility.await()
			.atMost(Duration.ofSeconds(120))
			.until(() -> application.getBean(Shard.class).phase() == RuntimePhase.RUNNING);
		return application;
	}

	private String inForce(ConfigurableApplicationContext application, String ring, String resource)
			throws IOException, InterruptedException {
		HttpResponse<String> answer = send(application, "", HttpRequest.newBuilder());
		assertThat(answer.statusCode()).isEqualTo(200);
		Map<String, Object> inForce = JsonPath.read(answer.body(), "$.rings.%s.%s".formatted(ring, resource));
		return "{strategy=%s, origin=%s}".formatted(inForce.get("strategy"), inForce.get("origin"));
	}

	private HttpResponse<String> override(ConfigurableApplicationContext application, String resource, String body)
			throws IOException, InterruptedException {
		return send(application, "/" + resource,
				HttpRequest.newBuilder()
					.header("Content-Type", "application/json")
					.POST(BodyPublishers.ofString(body)));
	}

	private HttpResponse<String> send(ConfigurableApplicationContext application, String path,
			HttpRequest.Builder request) throws IOException, InterruptedException {
		String port = application.getEnvironment().getRequiredProperty("local.server.port");
		URI uri = URI.create("http://localhost:" + port + "/actuator/reads" + path);
		return this.http.send(request.uri(uri).build(), BodyHandlers.ofString());
	}

}
