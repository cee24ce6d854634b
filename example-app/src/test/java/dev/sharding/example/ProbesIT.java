package dev.sharding.example;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import dev.sharding.client.KubernetesConnectionDetails;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.ManagedProcess;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the probes of an application say by HTTP while the API server is away, and while
 * the application stops.
 */
class ProbesIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension.own((builder) -> {
	});

	private final HttpClient http = HttpClient.newHttpClient();

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final String namespace;

	ProbesIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.client = client;
		this.namespace = namespace;
		CustomResourceDefinitions.apply(client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
	}

	@Test
	void staysReadyAndAliveWithoutApiServer() throws Exception {
		ManagedProcess server = this.controlPlane.apiServer().process();
		try (ConfigurableApplicationContext application = start("probed-2")) {
			Shard shard = application.getBean(Shard.class);
			soon().until(() -> status(application, "/readiness") == 200);
			soon().until(() -> status(application, "") == 200);
			// It takes connections and says nothing.
			server.pause();
			whileProbesSayYes(application, () -> shard.phase() != RuntimePhase.RUNNING);
			assertThat(status(application, "/shardLease")).isEqualTo(503);
			// It takes no connections.
			server.stop();
			whileProbesSayYes(application, () -> status(application, "/informers") == 503);
			server.start();
			whileProbesSayYes(application, () -> shard.phase() == RuntimePhase.RUNNING);
			whileProbesSayYes(application, () -> status(application, "") == 200);
		}
	}

	@Test
	void becomesReadyWhenTheApiServerComes() throws Exception {
		ManagedProcess server = this.controlPlane.apiServer().process();
		server.stop();
		try (ConfigurableApplicationContext application = start("probed-3")) {
			Awaitility.await().during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
				assertThat(status(application, "/readiness")).isEqualTo(503);
				assertThat(status(application, "/liveness")).isEqualTo(200);
			});
			server.start();
			soon().until(() -> status(application, "/readiness") == 200);
			assertThat(application.getBean(Shard.class).phase()).isEqualTo(RuntimePhase.RUNNING);
		}
	}

	@Test
	void answersWhileTheLastReconcileEnds() throws Exception {
		this.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("held")
				.addToLabels(ShardingLabels.shard("probed"), "probed-1")
				.endMetadata()
				.build())
			.create();
		try (ConfigurableApplicationContext application = start("probed-1")) {
			HeldReconciler reconciler = application.getBean(HeldReconciler.class);
			assertThat(reconciler.begun.await(60, TimeUnit.SECONDS)).isTrue();
			soon().until(() -> status(application, "/readiness") == 200);
			CompletableFuture<Void> stopped = CompletableFuture.runAsync(application::close);
			soon().until(() -> status(application, "/readiness") == 503);
			assertThat(status(application, "/liveness")).isEqualTo(200);
			assertThat(holder()).isEqualTo("probed-1");
			assertThat(stopped).isNotDone();
			reconciler.released.countDown();
			stopped.get(120, TimeUnit.SECONDS);
			assertThat(reconciler.ended).isTrue();
			assertThat(holder()).isEmpty();
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> status(application, "/liveness"));
		}
	}

	/* The port is known as long as the context is there, also after its stop. */
	private ConfigurableApplicationContext start(String shard) {
		Config config = this.controlPlane.admin().config();
		KubernetesConnectionDetails connection = () -> config;
		return new SpringApplicationBuilder(ProbedApplication.class)
			.initializers((context) -> ((ConfigurableApplicationContext) context).getBeanFactory()
				.registerSingleton("connection", connection))
			.run("--server.port=0", "--sharding.ring=probed", "--sharding.shard-name=" + shard,
					"--sharding.definition.apply=true", "--sharding.lease.namespace=" + this.namespace,
					"--sharding.lease.duration=15s", "--sharding.reconcile.stop-timeout=100s",
					"--spring.lifecycle.timeout-per-shutdown-phase=110s");
	}

	private void whileProbesSayYes(ConfigurableApplicationContext application, Callable<Boolean> end) {
		soon().until(() -> {
			assertThat(status(application, "/readiness")).isEqualTo(200);
			assertThat(status(application, "/liveness")).isEqualTo(200);
			return end.call();
		});
	}

	private int status(ConfigurableApplicationContext application, String probe)
			throws IOException, InterruptedException {
		String port = application.getEnvironment().getRequiredProperty("local.server.port");
		URI uri = URI.create("http://localhost:" + port + "/actuator/health" + probe);
		return this.http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding()).statusCode();
	}

	private String holder() {
		return this.client.leases()
			.inNamespace(this.namespace)
			.withName("probed-1")
			.get()
			.getSpec()
			.getHolderIdentity();
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(120)).pollInterval(Duration.ofMillis(100));
	}

	/** No component, so that no scan for that of the module finds it. */
	@EnableAutoConfiguration
	static class ProbedApplication {

		@Bean
		@ShardedController
		HeldReconciler held() {
			return new HeldReconciler();
		}

	}

	static class HeldReconciler implements Reconciler<Secret> {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch released = new CountDownLatch(1);

		private final AtomicBoolean ended = new AtomicBoolean();

		@Override
		public Result reconcile(Secret secret) throws InterruptedException {
			this.begun.countDown();
			this.released.await();
			this.ended.set(true);
			return Result.done();
		}

	}

}
