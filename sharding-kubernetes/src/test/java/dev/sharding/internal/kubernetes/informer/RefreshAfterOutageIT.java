package dev.sharding.internal.kubernetes.informer;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * After an outage questions pause for up to half a minute; an API server that can name
 * the time of such a pause stands in for one that was away for as long.
 */
@ControlPlaneTest
class RefreshAfterOutageIT {

	@Test
	void whoPausesGoesOnWhenTheWatchIsOpenAgain(ControlPlane cluster, @TestNamespace String namespace) {
		AtomicBoolean away = new AtomicBoolean(true);
		try (TcpProxy watch = TcpProxy.to(cluster.apiServer());
				AnswerProxy answers = AnswerProxy.before(cluster.admin(),
						(request) -> away.get() ? new Answer(429, Map.of("Retry-After", "3600"), "{}") : null);
				KubernetesClient watching = cluster.admin().through(watch).client();
				KubernetesClient asking = new KubernetesClientBuilder().withConfig(answers.config()).build();
				Informer<ConfigMap> informer = new Informer<>(watching, new ApiRequests(asking),
						InformerSpec.of(ResourceType.of(ConfigMap.class)).inNamespaces(Set.of(namespace)),
						RefreshAfterOutageIT::daemon, InstantSource.system(), System::nanoTime)) {
			informer.start();
			assertThat(informer.synced()).succeedsWithin(90, TimeUnit.SECONDS);
			CompletableFuture<Throwable> failed = new CompletableFuture<>();
			CompletableFuture<Void> refreshed = informer.refresh(failed::complete);
			assertThat(failed).succeedsWithin(90, TimeUnit.SECONDS);
			away.set(false);
			assertThat(refreshed).isNotDone();
			watch.cut();
			Awaitility.await().atMost(Duration.ofSeconds(90)).until(refreshed::isDone);
			assertThat(refreshed).isCompleted();
		}
	}

	private static Thread daemon(Runnable task) {
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		return thread;
	}

}
