package dev.sharding.internal.kubernetes.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.InformerHandler;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.informer.store.Store;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Writers change a scope through a good network while the informer sees it through a bad
 * one.
 */
class InformerStressIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
	});

	private static final Logger logger = LoggerFactory.getLogger(InformerStressIT.class);

	private static final int WRITES = 1500;

	private static final int WRITERS = 3;

	private static final int NAMES = 12;

	private static final int REFRESHES = 15;

	@Test
	void equalsTheScopeAfterEveryKindOfTrouble(ControlPlane cluster, KubernetesClient client,
			@TestNamespace String namespace) {
		long seed = System.nanoTime();
		logger.info("Stress: seed={}", seed);
		try (TcpProxy proxy = TcpProxy.to(cluster.apiServer());
				Informer<ConfigMap> informer = new Informer<>(cluster.admin().through(proxy).client(), InformerSpec
					.of(ResourceType.of(ConfigMap.class))
					.inNamespaces(Set.of(namespace))
					.withLabelSelector("shard=mine")
					.withTimings(InformerTimings.DEFAULT.withRetry(Duration.ofMillis(20), Duration.ofMillis(200))
						.withSilence(Duration.ofSeconds(5))
						.withAnswer(Duration.ofSeconds(5))))) {
			Recorder<ConfigMap> recorder = new Recorder<>();
			VersionCheck versions = new VersionCheck(informer.store());
			informer.addHandler(recorder);
			informer.addObserver(versions);
			informer.start();
			List<CompletableFuture<Void>> writers = new ArrayList<>();
			for (int i = 0; i < WRITERS; i++) {
				Random random = new Random(seed + i);
				writers.add(CompletableFuture.runAsync(() -> write(client, namespace, random)));
			}
			writers.add(CompletableFuture.runAsync(() -> writeAndRefresh(client, namespace, informer)));
			AtomicBoolean written = new AtomicBoolean();
			CompletableFuture<Void> trouble = CompletableFuture
				.runAsync(() -> trouble(proxy, new Random(seed - 1), written));
			CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new)).orTimeout(300, TimeUnit.SECONDS).join();
			written.set(true);
			trouble.orTimeout(60, TimeUnit.SECONDS).join();
			proxy.heal();
			proxy.delay(Duration.ZERO);
			informer.refresh().orTimeout(120, TimeUnit.SECONDS).join();

			Map<ObjectKey, ConfigMap> expected = new HashMap<>();
			client.configMaps().inNamespace(namespace).withLabel("shard", "mine").list().getItems().forEach((item) -> {
				item.getMetadata().setManagedFields(List.of());
				expected.put(ObjectKey.of(item), item);
			});
			Map<ObjectKey, ConfigMap> stored = new HashMap<>();
			informer.store().list().forEach((item) -> stored.put(ObjectKey.of(item), item));
			assertThat(stored).isEqualTo(expected);
			assertThat(recorder.state()).isEqualTo(expected);
			assertThat(versions.violations.get()).isZero();
			assertThat(recorder.words()).hasSizeGreaterThan(WRITES / 10);
			logger.info("Stress: events={} status={}", recorder.events().size(), informer.status());
		}
	}

	private static void trouble(TcpProxy proxy, Random random, AtomicBoolean written) {
		while (!written.get()) {
			switch (random.nextInt(5)) {
				case 0 -> proxy.cut();
				case 1 -> proxy.delay(Duration.ofMillis(random.nextInt(50)));
				case 2 -> proxy.pauseResponses();
				case 3 -> proxy.refuse();
				default -> proxy.blackHole();
			}
			pause(random.nextInt(300));
			proxy.heal();
			pause(random.nextInt(700));
		}
	}

	private static void pause(int millis) {
		CompletableFuture.runAsync(() -> {
		}, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)).join();
	}

	private static void write(KubernetesClient client, String namespace, Random random) {
		for (int i = 0; i < WRITES / WRITERS; i++) {
			String name = "object-" + random.nextInt(NAMES);
			var object = client.configMaps().inNamespace(namespace).withName(name);
			ConfigMap desired = new ConfigMapBuilder().withNewMetadata()
				.withNamespace(namespace)
				.withName(name)
				.addToLabels("shard", (random.nextInt(4) == 0) ? "other" : "mine")
				.endMetadata()
				.addToData("value", Long.toString(random.nextLong()))
				.build();
			try {
				if (random.nextInt(6) == 0) {
					object.delete();
				}
				else if (object.get() == null) {
					client.resource(desired).create();
				}
				else {
					client.resource(desired).update();
				}
			}
			catch (KubernetesClientException ex) {
				// Another writer was faster, or the answer too late.
				assertThat(ex.getCode()).satisfiesAnyOf((code) -> assertThat(code).isIn(0, 404, 409),
						(code) -> assertThat(code).isGreaterThanOrEqualTo(500));
			}
		}
	}

	/**
	 * After a refresh the store has what was written before it, however bad the network.
	 */
	private static void writeAndRefresh(KubernetesClient client, String namespace, Informer<ConfigMap> informer) {
		for (int i = 0; i < REFRESHES; i++) {
			ObjectKey key = new ObjectKey(namespace, "refreshed-" + i);
			ConfigMap object = new ConfigMapBuilder().withNewMetadata()
				.withNamespace(namespace)
				.withName(key.name())
				.addToLabels("shard", "mine")
				.endMetadata()
				.build();
			client.resource(object).create();
			informer.refresh().orTimeout(120, TimeUnit.SECONDS).join();
			assertThat(informer.store().get(key)).isNotNull();
			client.resource(object).delete();
			informer.refresh().orTimeout(120, TimeUnit.SECONDS).join();
			assertThat(informer.store().get(key)).isNull();
		}
	}

	/**
	 * Under the lock: no object goes back, and the watermark does not run ahead of what
	 * is told.
	 */
	private static final class VersionCheck implements InformerHandler<ConfigMap> {

		private final Store<ConfigMap> store;

		private final Map<ObjectKey, String> last = new HashMap<>();

		private final AtomicInteger violations = new AtomicInteger();

		VersionCheck(Store<ConfigMap> store) {
			this.store = store;
		}

		@Override
		public void onEvent(InformerEvent<ConfigMap> event) {
			if (event instanceof InformerEvent.Added<ConfigMap> added) {
				seen(added.object(), true);
			}
			else if (event instanceof InformerEvent.Updated<ConfigMap> updated) {
				seen(updated.after(), !updated.relist());
			}
		}

		private void seen(ConfigMap object, boolean fromWatch) {
			String version = object.getMetadata().getResourceVersion();
			String before = this.last.put(ObjectKey.of(object), version);
			String watermark = this.store.watermark();
			boolean wentBack = before != null && ResourceVersions.compare(before, version) != Order.BEFORE;
			boolean ahead = fromWatch && watermark != null
					&& ResourceVersions.compare(watermark, version) != Order.BEFORE;
			if (wentBack || ahead) {
				this.violations.incrementAndGet();
			}
		}

	}

}
