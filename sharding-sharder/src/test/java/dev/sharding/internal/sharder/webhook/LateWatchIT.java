package dev.sharding.internal.sharder.webhook;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.internal.sharder.ring.WebhookReports;
import dev.sharding.internal.sharder.shardlease.LeaseTrust;
import dev.sharding.internal.sharder.watch.SharedWatches;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.CustomResourceDefinitions;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The watch of webhook configurations is behind what was written.
 */
@ControlPlaneTest
class LateWatchIT {

	private static final String RING = "late-watch";

	/* Without a look at how far the watch is, a write comes each second. */
	private static final Duration A_WHILE = Duration.ofSeconds(4);

	private final CompletableFuture<Void> caughtUp = new CompletableFuture<>();

	private final AtomicLong nanos = new AtomicLong();

	@Test
	@DisplayName("What the watch has not told yet is not written again; what somebody changes later is")
	void writesOnceWhileTheWatchIsBehind(ControlPlane controlPlane, KubernetesClient admin) {
		ControllerRing ring = ring(admin);
		Resource<MutatingWebhookConfiguration> written = admin.admissionRegistration()
			.v1()
			.mutatingWebhookConfigurations()
			.withName(WebhookConfigurationLaw.name(RING));
		try (AnswerProxy proxy = AnswerProxy.before(controlPlane.admin(), this::hold, LateWatchIT::refuseStreams);
				KubernetesClient client = new KubernetesClientBuilder().withConfig(proxy.config()).build();
				SharedWatches watches = new SharedWatches(admin);
				RingViews views = new RingViews(watches, LeaseTrust.DEFAULT, InstantSource.system(), System::nanoTime,
						new WebhookMetrics(new SimpleMeterRegistry()), () -> {
						});
				WebhookConfigurations configurations = new WebhookConfigurations(client,
						WebhookTemplate.url("https://127.0.0.1:1", Set.of("kube-system")), true, views,
						() -> RequestGuard.NONE, new WebhookReports(), () -> null, this.nanos::get)) {
			await().until(views.start()::isDone);
			configurations.start();
			configurations.serving(null);
			await().until(() -> written.get() != null);
			await().during(A_WHILE).until(() -> writes(proxy) == 1);

			this.nanos.addAndGet(Duration.ofSeconds(10).toNanos());
			await().until(() -> writes(proxy) == 2);
			await().during(A_WHILE).until(() -> writes(proxy) == 2);

			this.caughtUp.complete(null);
			written.edit((configuration) -> {
				configuration.getWebhooks().clear();
				return configuration;
			});
			await().untilAsserted(() -> assertThat(written.get().getWebhooks()).isNotEmpty());
			written.delete();
			await().until(() -> written.get() != null);
		}
		finally {
			this.caughtUp.complete(null);
			admin.resource(ring).delete();
			written.delete();
		}
	}

	private void hold(Request request) {
		if (ofConfigurations(request) && request.query().contains("watch=")
				&& !request.query().contains("sendInitialEvents")) {
			this.caughtUp.join();
		}
	}

	/* The first list and the watch are two requests then. */
	private static Answer refuseStreams(Request request) {
		return (ofConfigurations(request) && request.query().contains("sendInitialEvents"))
				? new Answer(422, Map.of(), "{}") : null;
	}

	private static boolean ofConfigurations(Request request) {
		return request.path().contains("/mutatingwebhookconfigurations");
	}

	private static long writes(AnswerProxy proxy) {
		return proxy.requests()
			.stream()
			.filter((request) -> request.method().equals("PATCH")
					&& request.path().endsWith("/" + WebhookConfigurationLaw.name(RING)))
			.count();
	}

	private static ControllerRing ring(KubernetesClient client) {
		CustomResourceDefinitions.apply(client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
		ControllerRing ring = new ControllerRing();
		ring.setMetadata(new ObjectMetaBuilder().withName(RING).build());
		ring.setSpec(new ControllerRingSpec(List.of(new MainResource("", "services", List.of())), null));
		return client.resource(ring).create();
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(100));
	}

}
