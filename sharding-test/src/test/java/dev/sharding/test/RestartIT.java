package dev.sharding.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class RestartIT {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
	});

	/*
	 * Over plain HTTP: the server refuses what it does not know from before its restart,
	 * and fabric8 may wait for ever for a WebSocket that is closed at once.
	 */
	@Test
	void informerRecoversWhenApiServerIsKilledAndRestarted(ControlPlane controlPlane) {
		try (KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(controlPlane.admin().config()).withOnlyHttpWatches(true).build())
			.build()) {
			informerRecovers(controlPlane, client);
		}
	}

	private static void informerRecovers(ControlPlane controlPlane, KubernetesClient client) {
		client.resource(ConfigMaps.named("before")).create();
		SharedIndexInformer<ConfigMap> informer = client.configMaps().inNamespace("default").runnableInformer(0);
		// Without this, fabric8 stops an informer for good on some errors.
		informer.exceptionHandler((started, ex) -> true);
		informer.start();
		try {
			await().atMost(PATIENCE).until(() -> informer.getStore().getByKey("default/before") != null);
			int port = controlPlane.apiServer().port();
			ManagedProcess server = controlPlane.apiServer().process();
			long pid = server.pid().orElseThrow();
			server.kill();
			await().atMost(PATIENCE).until(() -> !informer.isWatching());
			server.start();
			assertThat(server.pid()).isPresent().get().isNotEqualTo(pid);
			assertThat(controlPlane.apiServer().port()).isEqualTo(port);
			client.resource(ConfigMaps.named("after")).create();
			await().atMost(PATIENCE).until(() -> informer.getStore().getByKey("default/after") != null);
			assertThat(informer.getStore().getByKey("default/before")).isNotNull();
		}
		finally {
			informer.close();
		}
	}

	@Test
	void etcdKeepsItsDataWhenItIsKilled(ControlPlane controlPlane, KubernetesClient client) {
		String version = client.resource(ConfigMaps.named("kept")).create().getMetadata().getResourceVersion();
		controlPlane.etcd().process().kill();
		controlPlane.etcd().process().start();
		await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
			ConfigMap kept = client.configMaps().inNamespace("default").withName("kept").get();
			assertThat(kept.getMetadata().getResourceVersion()).isEqualTo(version);
		});
	}

	@Test
	void stopsInAnOrderlyWayAlsoWhenPaused(ControlPlane controlPlane) {
		ManagedProcess server = controlPlane.apiServer().process();
		server.pause();
		server.stop();
		assertThat(server.isAlive()).isFalse();
		assertThatIllegalStateException().isThrownBy(server::pause).withMessageContaining("kube-apiserver");
		server.start();
		assertThatIllegalStateException().isThrownBy(server::start).withMessageContaining("runs already");
		controlPlane.checkAlive();
	}

	@Test
	void pausedServerAnswersOnlyAfterItResumed(ControlPlane controlPlane, KubernetesClient client) throws Exception {
		client.resource(ConfigMaps.named("slow")).create();
		controlPlane.apiServer().process().pause();
		CompletableFuture<ConfigMap> answer = CompletableFuture
			.supplyAsync(() -> client.configMaps().inNamespace("default").withName("slow").get());
		await().during(Duration.ofSeconds(1)).atMost(PATIENCE).until(() -> !answer.isDone());
		assertThat(controlPlane.apiServer().process().isAlive()).isTrue();
		controlPlane.apiServer().process().resume();
		assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
	}

}
