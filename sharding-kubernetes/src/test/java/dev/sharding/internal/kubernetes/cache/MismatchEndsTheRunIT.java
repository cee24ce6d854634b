package dev.sharding.internal.kubernetes.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import dev.sharding.test.WatchedProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The control of what every run of tests rests on: a cache that differs from the API
 * server ends the run, though no test of it fails.
 */
class MismatchEndsTheRunIT {

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final int HALTED = 70;

	@TempDir
	private Path folder;

	@Test
	void aPlantedMismatchEndsTheRun() throws Exception {
		Path log = this.folder.resolve("planted.log");
		assertThat(run("true", log)).as(() -> read(log)).isEqualTo(HALTED);
		assertThat(read(log)).contains("Cache differs from the API server", "Ending the run of tests");
	}

	@Test
	void withoutTheGuardTheSameRunSucceeds() throws Exception {
		Path log = this.folder.resolve("unguarded.log");
		assertThat(run("false", log)).as(() -> read(log)).isZero();
		assertThat(read(log)).contains("Cache differs from the API server").doesNotContain("Ending the run of tests");
	}

	private static int run(String guarded, Path log) throws Exception {
		WatchedProcess run = WatchedProcess.start(List.of(System.getProperty("java.home") + "/bin/java",
				"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dsharding.test.halt-on-mismatch=" + guarded, "-cp",
				System.getProperty("java.class.path"), "dev.sharding.test.OneTestClass", Planted.class.getName()), log);
		try {
			return run.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		}
		finally {
			run.killNow();
		}
	}

	private static String read(Path log) {
		try {
			return Files.readString(log);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

	/** Succeeds in spite of a mismatch. Not run by itself. */
	@ControlPlaneTest
	static class Planted {

		@Test
		void differs(KubernetesClient client, @TestNamespace String namespace) {
			client
				.resource(new ConfigMapBuilder().withNewMetadata()
					.withNamespace(namespace)
					.withName("a")
					.endMetadata()
					.build())
				.create();
			try (InformerCaches caches = new InformerCaches(client, new ApiRequests(client),
					new CacheScope(Set.of(namespace), "", "", "planted", false),
					new ObjectCopier(client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime,
					ReadOptions.DEFAULTS.withCheckPeriod(Duration.ofMillis(500)), new SimpleMeterRegistry())) {
				ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
				caches.start();
				assertThat(caches.synced()).succeedsWithin(Duration.ofMinutes(1));
				cache.list(ListOptions.all().freshness(Freshness.ANY).withoutCopying())
					.forEach((map) -> map.getMetadata().setResourceVersion("1"));
				Awaitility.await()
					.atMost(Duration.ofMinutes(1))
					.until(() -> !cache.get(namespace, "a")
						.orElseThrow()
						.getMetadata()
						.getResourceVersion()
						.equals("1"));
			}
		}

	}

}
