package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Contract C5 on a real API server: every read shows a state of the scope that was the
 * latest between its beginning and its end. The writers go past the caches. With
 * {@link ConsistentReadFaultIT} these are 3,000 reads; {@code -Dconsistent.reads=10000}
 * plays as many in each run.
 */
@ControlPlaneTest
class ConsistentReadIT {

	private static final int READS = Integer.getInteger("consistent.reads", 1_200);

	private final KubernetesClient client;

	private final String namespace;

	private final InformerCaches caches;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final ResourceCache<ConfigMap> cache;

	private final ReadRace race;

	ConsistentReadIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
		this.caches = caches(client);
		this.cache = this.caches.of(ConfigMap.class);
		this.race = new ReadRace(client, namespace, this.cache, Duration.ZERO);
	}

	private InformerCaches caches(KubernetesClient watching) {
		InformerCaches caches = new InformerCaches(watching, new ApiRequests(this.client),
				new CacheScope(Set.of(this.namespace), "ring", "me", "cache-test", false),
				new ObjectCopier(this.client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime,
				ReadOptions.DEFAULTS, this.meters);
		caches.declareSharded(ResourceType.of(ConfigMap.class));
		caches.of(ConfigMap.class);
		caches.index(ResourceType.of(ConfigMap.class), ScopeHistory.COLOR, ReadRace::colors);
		caches.start();
		assertThat(caches.synced()).succeedsWithin(Duration.ofSeconds(60));
		return caches;
	}

	@AfterEach
	void close() {
		this.caches.close();
		this.race.close();
		this.client.configMaps().inNamespace(this.namespace).delete();
	}

	@Test
	void everyReadIsLinearizable() throws Exception {
		this.race.run(READS, Freshness.CONSISTENT, () -> true);
		ScopeHistory.Verdict consistent = this.race.judge("consistent", "Validated reads");
		ScopeHistory.Verdict plain = this.race.judge("plain", "Reads of the plain cache");
		ScopeHistory.Verdict own = this.race.judge("own", "Reads of a version");
		assertThat(own.reads()).isPositive();
		assertThat(consistent.reads() + own.reads()).isGreaterThanOrEqualTo(READS);
		assertThat(own.violations()).isEmpty();
		assertThat(consistent.violations()).isEmpty();
		assertThat(plain.violations()).as("violations of a plain cache").isNotEmpty();
	}

	@Test
	void theProbeAloneDecidesWhileNothingIsWritten() {
		String version = this.race.create("quiet", 1, true).getMetadata().getResourceVersion();
		this.cache.get(new ObjectKey(this.namespace, "quiet"), Freshness.atLeast(version));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
			this.cache.list(ListOptions.all().freshness(Freshness.CONSISTENT));
			Counter probes = this.meters.find("sharding.cache.reads")
				.tags("strategy", "validated", "outcome", "probe")
				.counter();
			return probes != null && probes.count() >= 1;
		});
	}

	@Test
	void readsOfAVersionShowIt() {
		for (int i = 0; i < 50; i++) {
			String version = this.race.create("at-least-" + i, i, true).getMetadata().getResourceVersion();
			assertThat(this.cache.get(new ObjectKey(this.namespace, "at-least-" + i), Freshness.atLeast(version)))
				.isPresent();
			assertThat(names(Freshness.atLeast(version))).contains("at-least-" + i);
		}
	}

	@Test
	void getShowsOnlyWhatIsInScopeAndNothingOlderLater() {
		ObjectKey key = new ObjectKey(this.namespace, "seen");
		this.race.create("seen", 1, true);
		assertThat(this.cache.get(key, Freshness.CONSISTENT)).isPresent();
		assertThat(this.cache.get(key, Freshness.READ_YOUR_WRITES)).isPresent();
		this.race.relabel("seen", false);
		assertThat(this.cache.get(key, Freshness.CONSISTENT)).isEmpty();
		assertThat(this.cache.get(key, Freshness.READ_YOUR_WRITES)).isEmpty();
		this.race.relabel("seen", true);
		assertThat(this.cache.get(key, Freshness.CONSISTENT)).isPresent();
		this.client.configMaps().inNamespace(this.namespace).withName("seen").delete();
		assertThat(this.cache.get(key, Freshness.CONSISTENT)).isEmpty();
		assertThat(this.cache.get(key, Freshness.READ_YOUR_WRITES)).isEmpty();
	}

	@Test
	void whatGetFoundGoneIsNotSeenLaterThoughTheWatchIsSilent(ControlPlane controlPlane) throws Exception {
		ObjectKey key = new ObjectKey(this.namespace, "gone");
		ObjectKey moved = new ObjectKey(this.namespace, "moved");
		try (TcpProxy line = TcpProxy.to(controlPlane.apiServer());
				KubernetesClient watching = controlPlane.admin().through(line).client();
				InformerCaches silent = caches(watching)) {
			ResourceCache<ConfigMap> cache = silent.of(ConfigMap.class);
			cache.get(key, Freshness.atLeast(this.race.create("moved", 1, true).getMetadata().getResourceVersion()));
			cache.get(key, Freshness.atLeast(this.race.create("gone", 1, true).getMetadata().getResourceVersion()));
			line.pauseResponses();
			this.client.configMaps().inNamespace(this.namespace).withName("gone").delete();
			this.race.relabel("moved", false);
			for (Freshness freshness : List.of(Freshness.CONSISTENT, Freshness.CONSISTENT.orLive())) {
				assertThat(cache.get(key, freshness)).isEmpty();
				assertThat(cache.get(moved, freshness)).isEmpty();
			}
			assertThat(cache.get(key, Freshness.ANY)).as("in the informer").isPresent();
			assertThat(cache.get(key, Freshness.READ_YOUR_WRITES)).isEmpty();
			assertThat(cache.list(ListOptions.all())).isEmpty();
			this.race.create("gone", 2, true);
			assertThat(cache.get(key, Freshness.CONSISTENT)).as("its namesake").isPresent();
			assertThat(cache.get(key, Freshness.READ_YOUR_WRITES)).isPresent();
		}
	}

	@Test
	void serverThatDoesNotAnswerIsATypedErrorAndNothingStale(ControlPlane controlPlane) {
		this.race.create("hidden", 1, true);
		controlPlane.etcd().process().pause();
		try {
			Freshness soon = Freshness.CONSISTENT.within(Duration.ofMillis(500));
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> this.cache.list(ListOptions.all().freshness(soon)))
				.withMessageContaining("no consistent state within 500 ms")
				.satisfies((ex) -> assertThat(ex.retryAfter()).isPositive());
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> this.cache.get(new ObjectKey(this.namespace, "hidden"), soon));
		}
		finally {
			controlPlane.etcd().process().resume();
		}
		Freshness patient = Freshness.CONSISTENT.within(Duration.ofMinutes(1));
		assertThat(names(patient)).contains("hidden");
	}

	@Test
	void interruptEndsTheWait(ControlPlane controlPlane) {
		controlPlane.etcd().process().pause();
		try {
			Thread.currentThread().interrupt();
			Freshness patient = Freshness.CONSISTENT.within(Duration.ofMinutes(1));
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> this.cache.list(ListOptions.all().freshness(patient)))
				.withMessageContaining("interrupted");
			assertThat(Thread.interrupted()).isTrue();
		}
		finally {
			controlPlane.etcd().process().resume();
		}
	}

	private List<String> names(Freshness freshness) {
		return this.cache.list(ListOptions.all().freshness(freshness))
			.stream()
			.map((object) -> object.getMetadata().getName())
			.toList();
	}

}
