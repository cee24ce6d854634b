package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.ConsistentReadException.Reason;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ObjectPage;
import dev.sharding.cache.ReadCancellation;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.VersionMatch;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.cache.OverlayWorld;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies.InForce;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies.Origin;
import dev.sharding.internal.kubernetes.informer.CheckResult;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Lists that name versions and pages, the ways in which a wait ends, and what a
 * comparison with the API server finds.
 */
@ControlPlaneTest
class CacheListsIT {

	private final ControlPlane cluster;

	private final KubernetesClient client;

	private final String namespace;

	private final TcpProxy watch;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final List<AutoCloseable> open = new ArrayList<>();

	CacheListsIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.client = client;
		this.namespace = namespace;
		this.watch = TcpProxy.to(cluster.apiServer());
		this.open.add(this.watch);
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.open.size() - 1; i >= 0; i--) {
			this.open.get(i).close();
		}
		this.client.configMaps().inNamespace(this.namespace).delete();
	}

	@Test
	void listsThePastByPages() {
		for (String name : List.of("a", "b", "c")) {
			create(name);
		}
		ResourceCache<ConfigMap> cache = caches(ReadOptions.DEFAULTS).of(ConfigMap.class);
		String then = cache.page(ListOptions.all().freshness(Freshness.CONSISTENT)).resourceVersion();
		create("d");
		ListOptions exact = ListOptions.all().resourceVersion(then, VersionMatch.EXACT);
		assertThat(names(cache.list(exact))).containsExactlyInAnyOrder("a", "b", "c");
		ObjectPage<ConfigMap> first = cache.page(exact.limit(2));
		assertThat(first.items()).hasSize(2);
		ObjectPage<ConfigMap> second = cache.page(ListOptions.all().limit(2).continueFrom(first.continueToken()));
		assertThat(second.items()).hasSize(1);
		assertThat(second.continueToken()).isNull();
		assertThatIllegalArgumentException().isThrownBy(() -> cache.list(exact.limit(2)))
			.withMessageContaining("ask for them by 'page'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> cache.list(ListOptions.all().resourceVersion("0", VersionMatch.EXACT)))
			.withMessageContaining("other than \"0\"");
		assertThatIllegalArgumentException().isThrownBy(() -> cache.list(exact.inNamespace("elsewhere")))
			.withMessageContaining("cover only");
	}

	@Test
	void listsWhatIsNotOlderFromMemory() {
		ResourceCache<ConfigMap> cache = caches(ReadOptions.DEFAULTS).of(ConfigMap.class);
		for (int i = 0; i < 20; i++) {
			String version = create("n" + i).getMetadata().getResourceVersion();
			ObjectPage<ConfigMap> page = cache
				.page(ListOptions.all().resourceVersion(version, VersionMatch.NOT_OLDER_THAN).limit(1));
			assertThat(names(page.items())).contains("n" + i);
			assertThat(page.continueToken()).isNull();
		}
		assertThat(cache.list(ListOptions.all().resourceVersion("0"))).isNotEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = { "VALIDATED", "LIVE" })
	void aVersionThatTheServerHasNotReachedIsWaitedFor(ReadStrategy strategy) throws Exception {
		ResourceCache<ConfigMap> cache = caches(ReadOptions.DEFAULTS.withStrategy("configmaps", strategy))
			.of(ConfigMap.class);
		long present = Long.parseLong(create("a").getMetadata().getResourceVersion());
		String never = Long.toString(present + 1_000_000_000);
		Duration limit = Duration.ofMillis(500);
		for (Freshness freshness : List.of(Freshness.CONSISTENT.within(limit),
				Freshness.CONSISTENT.within(limit).orLive(), Freshness.atLeast(never).within(limit),
				Freshness.atLeast(never).within(limit).orLive())) {
			ListOptions options = ListOptions.all()
				.resourceVersion(never, VersionMatch.NOT_OLDER_THAN)
				.freshness(freshness);
			assertThatExceptionOfType(ConsistentReadException.class).as("%s", freshness)
				.isThrownBy(() -> cache.list(options))
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.DEADLINE));
		}
		assertThatExceptionOfType(ConsistentReadException.class)
			.isThrownBy(() -> cache.get(new ObjectKey(this.namespace, "a"), Freshness.atLeast(never).within(limit)));
		Freshness soon = Freshness.atLeast(Long.toString(present + 200)).within(Duration.ofMinutes(1));
		CompletableFuture<List<String>> read = waiting(cache, soon);
		ConfigMap last = create("b");
		while (Long.parseLong(last.getMetadata().getResourceVersion()) < present + 200) {
			last.setData(Map.of("after", last.getMetadata().getResourceVersion()));
			last = this.client.resource(last).update();
		}
		assertThat(read.get(1, TimeUnit.MINUTES)).containsExactlyInAnyOrder("a", "b");
	}

	@Test
	void whoWaitsNoLongerTakesNobodyAlong() throws Exception {
		ResourceCache<ConfigMap> cache = caches(ReadOptions.DEFAULTS).of(ConfigMap.class);
		this.watch.pause();
		create("unseen");
		ReadCancellation cancellation = new ReadCancellation();
		Freshness patient = Freshness.CONSISTENT.within(Duration.ofMinutes(5));
		CompletableFuture<List<String>> cancelled = waiting(cache, patient.cancelledBy(cancellation));
		CompletableFuture<List<String>> alone = waiting(cache, patient);
		cancellation.cancel();
		assertThat(failure(cancelled).reason()).isEqualTo(Reason.CANCELLED);
		CompletableFuture<List<String>> impatient = reading(cache,
				Freshness.CONSISTENT.within(Duration.ofMillis(1_500)), new CompletableFuture<>());
		assertThat(failure(impatient).reason()).isEqualTo(Reason.DEADLINE);
		CompletableFuture<List<String>> late = waiting(cache, patient);
		assertThat(alone).isNotDone();
		assertThat(late).isNotDone();
		this.watch.heal();
		assertThat(alone.get(1, TimeUnit.MINUTES)).containsExactly("unseen");
		assertThat(late.get(1, TimeUnit.MINUTES)).containsExactly("unseen");
	}

	/** A read that provably waits. */
	private static CompletableFuture<List<String>> waiting(ResourceCache<ConfigMap> cache, Freshness freshness) {
		CompletableFuture<Thread> reader = new CompletableFuture<>();
		CompletableFuture<List<String>> read = reading(cache, freshness, reader);
		soon().until(() -> Arrays.stream(reader.join().getStackTrace())
			.anyMatch((frame) -> frame.getClassName().equals(ReadWait.class.getName())
					&& frame.getMethodName().equals("await")));
		return read;
	}

	private static CompletableFuture<List<String>> reading(ResourceCache<ConfigMap> cache, Freshness freshness,
			CompletableFuture<Thread> reader) {
		return CompletableFuture.supplyAsync(() -> {
			reader.complete(Thread.currentThread());
			return names(cache.list(ListOptions.all().freshness(freshness)));
		}, (task) -> new Thread(task, "reader").start());
	}

	private static ConsistentReadException failure(CompletableFuture<?> read) throws Exception {
		Throwable failure = read.handle((answer, thrown) -> thrown).get(1, TimeUnit.MINUTES);
		assertThat(failure).hasCauseInstanceOf(ConsistentReadException.class);
		return (ConsistentReadException) failure.getCause();
	}

	@Test
	void oneLiveListWhereMemoryDoesNotGetThere() {
		ResourceCache<ConfigMap> cache = caches(ReadOptions.DEFAULTS).of(ConfigMap.class);
		this.watch.pause();
		create("unseen");
		Freshness soon = Freshness.CONSISTENT.within(Duration.ofMillis(1_500));
		assertThatExceptionOfType(ConsistentReadException.class)
			.isThrownBy(() -> cache.list(ListOptions.all().freshness(soon)))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.DEADLINE))
			.satisfies((ex) -> assertThat(ex.retryAfter()).isPositive());
		Freshness orLive = Freshness.CONSISTENT.within(Duration.ofSeconds(10)).orLive();
		assertThat(names(cache.list(ListOptions.all().freshness(orLive)))).containsExactly("unseen");
		assertThat(this.meters.get("sharding.cache.reads").tag("outcome", "fallback").counter().count()).isEqualTo(1);
		assertThat(this.meters.get("sharding.cache.reads").tag("outcome", "deadline").counter().count()).isEqualTo(2);
	}

	@Test
	void aCacheThatDiffersIsFoundAndListedAnew() {
		create("a");
		create("b");
		InformerCaches caches = caches(ReadOptions.DEFAULTS.withCheckPeriod(Duration.ofMillis(500)));
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		soon().until(() -> checks("match") > 0);
		assertThat(checks("mismatch")).isZero();
		Map<ResourceType<?>, CheckResult> found = new ConcurrentHashMap<>();
		caches.addListener(found::put);
		String halt = System.setProperty("sharding.test.halt-on-mismatch", "false");
		try {
			// What nobody may do: change what the cache itself holds.
			cache.list(ListOptions.all().withoutCopying())
				.stream()
				.filter((map) -> map.getMetadata().getName().equals("b"))
				.forEach((map) -> map.getMetadata().setResourceVersion("1"));
			soon().until(() -> checks("mismatch") > 0);
			soon().until(
					() -> !cache.get(this.namespace, "b").orElseThrow().getMetadata().getResourceVersion().equals("1"));
			// After the line in the log, at which a run ends otherwise.
			soon().until(() -> found.containsKey(OverlayWorld.CONFIG_MAPS));
		}
		finally {
			System.setProperty("sharding.test.halt-on-mismatch", (halt != null) ? halt : "false");
		}
		assertThat(found.get(OverlayWorld.CONFIG_MAPS).differing()).containsExactly(new ObjectKey(this.namespace, "b"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "list", "namespace", "byIndex", "get" })
	void aReadThatDiffersIsFoundAsItIsServed(String form) {
		create("a");
		create("b");
		InformerCaches caches = caches(ReadOptions.DEFAULTS.withCheckPeriod(Duration.ZERO).withCheckReads(1));
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		Map<ResourceType<?>, CheckResult> found = new ConcurrentHashMap<>();
		caches.addListener(found::put);
		soon().until(() -> {
			read(cache, form);
			return readChecks("match") > 0;
		});
		assertThat(readChecks("mismatch")).isZero();
		String halt = System.setProperty("sharding.test.halt-on-mismatch", "false");
		try {
			// What nobody may do: change what the cache itself holds.
			cache.list(ListOptions.all().withoutCopying())
				.stream()
				.filter((map) -> map.getMetadata().getName().equals("b"))
				.forEach((map) -> map.getMetadata().setResourceVersion("1"));
			soon().until(() -> {
				read(cache, form);
				return readChecks("mismatch") > 0;
			});
			soon().until(
					() -> !cache.get(this.namespace, "b").orElseThrow().getMetadata().getResourceVersion().equals("1"));
			// After the line in the log, at which a run ends otherwise.
			soon().until(() -> found.containsKey(OverlayWorld.CONFIG_MAPS));
		}
		finally {
			System.setProperty("sharding.test.halt-on-mismatch", (halt != null) ? halt : "false");
		}
		assertThat(found.get(OverlayWorld.CONFIG_MAPS).differing()).containsExactly(new ObjectKey(this.namespace, "b"));
		assertThat(checks("mismatch")).isZero();
	}

	private void read(ResourceCache<ConfigMap> cache, String form) {
		switch (form) {
			case "list" -> cache.list();
			case "namespace" -> cache.list(ListOptions.all().inNamespace(this.namespace));
			case "byIndex" -> cache.byIndex("all", "all");
			default -> cache.get(this.namespace, "b");
		}
	}

	@Test
	void changesDuringAComparisonAreNoMismatch() throws InterruptedException {
		ResourceCache<ConfigMap> cache = caches(ReadOptions.DEFAULTS.withCheckReads(1)).of(ConfigMap.class);
		AtomicBoolean stop = new AtomicBoolean();
		Thread writer = new Thread(() -> {
			for (int i = 0; !stop.get(); i++) {
				create("busy-" + i);
				if (i % 2 == 0) {
					this.client.configMaps().inNamespace(this.namespace).withName("busy-" + i).delete();
				}
				else {
					cache.patch(
							cache.get(new ObjectKey(this.namespace, "busy-" + i), Freshness.CONSISTENT).orElseThrow(),
							(map) -> {
								map.setData(Map.of("own", "write"));
								return map;
							});
				}
			}
		});
		writer.start();
		try {
			soon().until(() -> {
				cache.list();
				cache.list(ListOptions.all().freshness(Freshness.ANY));
				return readChecks("match") > 30;
			});
		}
		finally {
			stop.set(true);
			writer.join();
		}
		assertThat(readChecks("mismatch")).isZero();
	}

	private double readChecks(String result) {
		Counter counter = this.meters.find("sharding.cache.read.checks").tag("result", result).counter();
		return (counter != null) ? counter.count() : 0;
	}

	private double checks(String result) {
		Counter counter = this.meters.find("sharding.cache.checks").tag("result", result).counter();
		return (counter != null) ? counter.count() : 0;
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
	}

	@Test
	void aLiveReadNeedsNoWatchAndTheCacheLearnsFromIt() {
		create("gone");
		ResourceCache<ConfigMap> cache = caches(ReadOptions.DEFAULTS).of(ConfigMap.class);
		assertThat(names(cache.list(ListOptions.all().freshness(Freshness.CONSISTENT)))).contains("gone");
		this.watch.pause();
		create("unseen");
		this.client.configMaps().inNamespace(this.namespace).withName("gone").delete();
		assertThat(names(cache.list(ListOptions.all().freshness(Freshness.LIVE)))).contains("unseen")
			.doesNotContain("gone");
		assertThat(names(cache.list())).contains("unseen");
		create("one");
		assertThat(cache.get(new ObjectKey(this.namespace, "one"), Freshness.LIVE)).isPresent();
		assertThat(names(cache.list())).contains("one");
		assertThat(this.meters.get("sharding.cache.reads")
			.tags("strategy", "request", "outcome", "live")
			.counter()
			.count()).isEqualTo(1);
		assertThat(this.meters.get("sharding.cache.reads")
			.tags("strategy", "request", "outcome", "found")
			.counter()
			.count()).isEqualTo(1);
	}

	@Test
	void noLaterReadIsOlderThanAListThatTheServerAnswered() {
		create("known");
		ResourceCache<ConfigMap> live = caches(ReadOptions.DEFAULTS.withStrategy("configmaps", ReadStrategy.LIVE))
			.of(ConfigMap.class);
		ResourceCache<ConfigMap> fallingBack = caches(ReadOptions.DEFAULTS).of(ConfigMap.class);
		for (ResourceCache<ConfigMap> cache : List.of(live, fallingBack)) {
			assertThat(names(cache.list(ListOptions.all().freshness(Freshness.CONSISTENT)))).contains("known");
		}
		this.watch.pause();
		create("unseen");
		assertThat(names(live.list(ListOptions.all().freshness(Freshness.CONSISTENT)))).contains("unseen");
		assertThat(names(live.list())).contains("unseen");
		assertThat(names(fallingBack
			.list(ListOptions.all().freshness(Freshness.CONSISTENT.within(Duration.ofSeconds(5)).orLive()))))
			.contains("unseen");
		assertThat(names(fallingBack.list())).contains("unseen");
	}

	@Test
	void noLaterReadShowsWhatAListThatTheServerAnsweredNoLongerHad() {
		create("kept");
		create("gone");
		InformerCaches caches = caches(ReadOptions.DEFAULTS.withStrategy("configmaps", ReadStrategy.LIVE));
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		assertThat(names(cache.list())).contains("kept", "gone");
		this.watch.pause();
		this.client.configMaps().inNamespace(this.namespace).withName("gone").delete();
		assertThat(names(cache.list(ListOptions.all().freshness(Freshness.CONSISTENT)))).contains("kept")
			.doesNotContain("gone");
		assertThat(names(cache.list())).contains("kept").doesNotContain("gone");
		assertThat(cache.get(this.namespace, "gone")).isEmpty();
		// Known from a list alone.
		create("brief");
		assertThat(names(cache.list(ListOptions.all().freshness(Freshness.CONSISTENT)))).contains("brief");
		assertThat(names(cache.list())).contains("brief");
		this.client.configMaps().inNamespace(this.namespace).withName("brief").delete();
		assertThat(names(cache.list(ListOptions.all().freshness(Freshness.CONSISTENT)))).doesNotContain("brief");
		assertThat(names(cache.list())).doesNotContain("brief");
		// It may come back.
		create("gone");
		assertThat(names(cache.list(ListOptions.all().freshness(Freshness.CONSISTENT)))).contains("kept", "gone");
		assertThat(names(cache.list())).contains("kept", "gone");
		this.watch.heal();
		create("later");
		soon().until(() -> names(cache.list()).contains("later"));
		assertThat(names(cache.list())).containsOnly("kept", "gone", "later");
		soon().untilAsserted(
				() -> assertThat(caches.overlayStatuses().values()).allMatch((status) -> status.entries() == 0));
	}

	@Test
	void anOverrideHoldsForReadsThatBeginFromThenOn() {
		create("known");
		InformerCaches caches = caches(ReadOptions.DEFAULTS);
		ReadStrategies strategies = caches.readStrategies();
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		assertThat(names(cache.list(ListOptions.all().freshness(Freshness.CONSISTENT)))).contains("known");
		assertThat(strategies.inForce())
			.containsOnly(Map.entry("configmaps", new InForce(ReadStrategy.VALIDATED, Origin.DEFAULT)));
		this.watch.pause();
		create("unseen");
		strategies.override("configmaps", ReadStrategy.LIVE);
		assertThat(strategies.inForce())
			.containsOnly(Map.entry("configmaps", new InForce(ReadStrategy.LIVE, Origin.OVERRIDE)));
		// Memory could not, as its watch is paused.
		assertThat(names(cache.list(ListOptions.all().freshness(Freshness.CONSISTENT)))).contains("unseen");
		assertThat(
				this.meters.get("sharding.cache.reads").tags("strategy", "live", "outcome", "live").counter().count())
			.isEqualTo(1);
		strategies.reset("configmaps");
		assertThat(strategies.inForce()).containsEntry("configmaps",
				new InForce(ReadStrategy.VALIDATED, Origin.DEFAULT));
		assertThatExceptionOfType(ConsistentReadException.class).isThrownBy(
				() -> cache.list(ListOptions.all().freshness(Freshness.CONSISTENT.within(Duration.ofMillis(500)))));
	}

	private InformerCaches caches(ReadOptions reads) {
		InformerCaches caches = unstarted(reads);
		caches.index(OverlayWorld.CONFIG_MAPS, "all", (map) -> List.of("all"));
		caches.of(ConfigMap.class);
		caches.start();
		assertThat(caches.synced()).succeedsWithin(Duration.ofSeconds(60));
		return caches;
	}

	private InformerCaches unstarted(ReadOptions reads) {
		InformerCaches caches = new InformerCaches(this.cluster.admin().through(this.watch).client(),
				new ApiRequests(this.client), new CacheScope(Set.of(this.namespace), "", "", "cache-test", false),
				new ObjectCopier(this.client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime,
				reads, this.meters);
		this.open.add(caches);
		return caches;
	}

	private ConfigMap create(String name) {
		return this.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.endMetadata()
				.build())
			.create();
	}

	private static List<String> names(List<ConfigMap> objects) {
		return objects.stream().map((object) -> object.getMetadata().getName()).toList();
	}

}
