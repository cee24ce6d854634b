package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.ConsistentReadException.Reason;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.VersionMatch;
import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.cache.OverlayWorld;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ApiServer;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Contract C5 while things go wrong: a read is right, or it fails. The watch goes to the
 * first API server, over a slow line; reads, writes and the watch that tells the order go
 * to the second. {@code -Dconsistent.reads=10000} plays the full number of reads.
 */
class ConsistentReadFaultIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
	});

	private static final int READS = Integer.getInteger("consistent.reads", 300);

	private static final Freshness PATIENT = Freshness.CONSISTENT.within(Duration.ofSeconds(10));

	private static final Duration PAUSE = Duration.ofMillis(50);

	private static ApiServer second;

	private final ControlPlane cluster;

	private final String namespace;

	private final List<AutoCloseable> open = new ArrayList<>();

	private TcpProxy watch;

	private InformerCaches caches;

	private KubernetesClient reading;

	ConsistentReadFaultIT(ControlPlane cluster, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.namespace = namespace;
	}

	@BeforeEach
	void split() {
		if (second == null) {
			second = this.cluster.startAnotherApiServer();
		}
		this.watch = opened(TcpProxy.to(this.cluster.apiServer()));
		this.reading = this.cluster.admin().through(opened(TcpProxy.to(second))).client();
	}

	@AfterEach
	void close() throws Exception {
		this.reading.configMaps().inNamespace(this.namespace).delete();
		for (int i = this.open.size() - 1; i >= 0; i--) {
			this.open.get(i).close();
		}
	}

	@Test
	void eventsThatComeLateOverTwoServers() throws Exception {
		long seed = Long.getLong("race.seed", System.nanoTime());
		Random random = new Random(seed);
		race("Late events over two servers, delays of race.seed=" + seed, ReadStrategy.VALIDATED, () -> {
			for (int i = 0; i < 20; i++) {
				this.watch.delay(Duration.ofMillis(random.nextInt(60)));
				Awaitility.await().atMost(Duration.ofMinutes(1)).pollDelay(Duration.ofMillis(100)).until(() -> true);
			}
			this.watch.delay(Duration.ofMillis(10));
			return true;
		});
	}

	@Test
	void barriersWhileEventsComeLate() throws Exception {
		race("Barriers", ReadStrategy.BARRIER, () -> {
			this.watch.delay(Duration.ofMillis(15));
			return true;
		});
	}

	@Test
	void liveLists() throws Exception {
		race("Live lists", ReadStrategy.LIVE, () -> true);
	}

	@Test
	void anEtcdThatIsPaused() throws Exception {
		race("Paused etcd", ReadStrategy.VALIDATED, () -> {
			this.cluster.etcd().process().pause();
			Awaitility.await().atMost(Duration.ofMinutes(1)).pollDelay(Duration.ofSeconds(2)).until(() -> true);
			this.cluster.etcd().process().resume();
			return true;
		});
	}

	@ParameterizedTest
	@EnumSource(names = { "VALIDATED", "BARRIER" })
	void aServerThatRestartsAndKnowsNoPast(ReadStrategy strategy) throws Exception {
		race("Restart and 410, " + strategy, strategy, () -> {
			this.watch.pauseResponses();
			this.cluster.etcd().compact();
			this.cluster.apiServer().process().restart();
			this.watch.heal();
			this.watch.cut();
			return true;
		});
		assertThat(this.caches.statuses().values()).singleElement()
			.satisfies((status) -> assertThat(status.relists()).as("lists").isGreaterThanOrEqualTo(2));
	}

	/**
	 * The API server remembers versions that etcd has forgotten, but not over a restart.
	 */
	@Test
	void aVersionThatIsGoneIsRefused() {
		this.cluster.etcd().compact();
		this.cluster.apiServer().process().restart();
		ResourceCache<ConfigMap> cache = cache(this.cluster.admin().client(), ReadOptions.DEFAULTS,
				new SimpleMeterRegistry());
		assertThatExceptionOfType(ConsistentReadException.class)
			.isThrownBy(() -> cache.list(ListOptions.all().resourceVersion("1", VersionMatch.EXACT)))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED))
			.havingCause()
			.isInstanceOfSatisfying(ApiException.class, (cause) -> assertThat(cause.status()).isEqualTo(410));
	}

	@Test
	void aVersionThatIsGoneIsNoMismatch() {
		KubernetesClient server = this.cluster.admin().client();
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		cache(server, ReadOptions.DEFAULTS.withCheckPeriod(Duration.ofMillis(500)), meters);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> checks(meters, "match") > 0);
		this.watch.pauseResponses();
		server
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("unseen")
				.addToLabels(ShardingLabels.shard("ring"), "me")
				.endMetadata()
				.build())
			.create();
		this.cluster.etcd().compact();
		// Asked to stop, it would wait for the watch that is held back.
		this.cluster.apiServer().process().kill();
		this.cluster.apiServer().process().start();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> checks(meters, "inconclusive") > 0);
		assertThat(checks(meters, "mismatch")).isZero();
	}

	private static double checks(SimpleMeterRegistry meters, String result) {
		Counter counter = meters.find("sharding.cache.checks").tag("result", result).counter();
		return (counter != null) ? counter.count() : 0;
	}

	private void race(String what, ReadStrategy strategy, Callable<?> accident) throws Exception {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		ResourceCache<ConfigMap> cache = cache(this.reading, ReadOptions.DEFAULTS.withStrategy("configmaps", strategy),
				meters);
		ReadRace race = opened(new ReadRace(this.reading, this.namespace, cache, PAUSE));
		race.run(READS, PATIENT, () -> {
			// However few changes there are, the plain cache is not told of this one.
			this.watch.pauseResponses();
			race.readPlainAfterAWrite();
			this.watch.heal();
			return accident.call();
		});
		ScopeHistory.Verdict consistent = race.judge("consistent", what);
		ScopeHistory.Verdict own = race.judge("own", what);
		ScopeHistory.Verdict plain = race.judge("plain", what);
		assertThat(consistent.reads() + own.reads()).isGreaterThanOrEqualTo(READS);
		assertThat(own.reads()).isPositive();
		assertThat(own.violations()).isEmpty();
		assertThat(plain.violations()).as("violations of a plain cache").isNotEmpty();
		assertThat(consistent.violations()).isEmpty();
		assertThat(meters.get("sharding.cache.read.wait").timers()).isNotEmpty();
	}

	private ResourceCache<ConfigMap> cache(KubernetesClient asked, ReadOptions reads, SimpleMeterRegistry meters) {
		this.caches = opened(new InformerCaches(this.cluster.admin().through(this.watch).client(),
				new ApiRequests(asked), new CacheScope(Set.of(this.namespace), "ring", "me", "cache-test", false),
				new ObjectCopier(asked.getKubernetesSerialization()), InstantSource.system(), System::nanoTime, reads,
				meters));
		this.caches.declareSharded(OverlayWorld.CONFIG_MAPS);
		ResourceCache<ConfigMap> cache = this.caches.of(ConfigMap.class);
		this.caches.index(OverlayWorld.CONFIG_MAPS, ScopeHistory.COLOR, ReadRace::colors);
		this.caches.start();
		assertThat(this.caches.synced()).succeedsWithin(Duration.ofSeconds(60));
		return cache;
	}

	private <C extends AutoCloseable> C opened(C closeable) {
		this.open.add(closeable);
		return closeable;
	}

}
