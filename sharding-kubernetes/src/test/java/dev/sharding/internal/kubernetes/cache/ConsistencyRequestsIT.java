package dev.sharding.internal.kubernetes.cache;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.ConsistentReadException.Reason;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.read.BarrierSource;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the API server saw of consistent reads: how many requests, and how long they may
 * take.
 */
class ConsistencyRequestsIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> builder.auditPolicy("""
			apiVersion: audit.k8s.io/v1
			kind: Policy
			rules:
			- level: Metadata
			  resources: [{group: "", resources: [configmaps]}]
			- level: None
			"""));

	private static final PolicyRule EVERYTHING = new PolicyRuleBuilder().withApiGroups("")
		.withResources("configmaps")
		.withVerbs("*")
		.build();

	private static final ReadOptions UNCHECKED = ReadOptions.DEFAULTS.withCheckPeriod(Duration.ZERO);

	private static final Freshness PATIENT = Freshness.CONSISTENT.within(Duration.ofMinutes(5));

	private static final ListOptions CONSISTENT = ListOptions.all().freshness(PATIENT);

	private final ControlPlane cluster;

	private final KubernetesClient client;

	private final String namespace;

	private final List<AutoCloseable> open = new ArrayList<>();

	ConsistencyRequestsIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.client = client;
		this.namespace = namespace;
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.open.size() - 1; i >= 0; i--) {
			this.open.get(i).close();
		}
		this.client.configMaps().inNamespace(this.namespace).delete();
	}

	@Test
	void eachSaysHowLongItMayTake() {
		Access user = this.cluster.user("timely", EVERYTHING);
		for (ReadStrategy strategy : ReadStrategy.values()) {
			KubernetesClient asking = user.client();
			ResourceCache<ConfigMap> cache = caches(asking, asking, UNCHECKED.withStrategy("configmaps", strategy))
				.of(ConfigMap.class);
			int before = asked(user).size();
			cache.get(new ObjectKey(this.namespace, "none"), PATIENT);
			soon().until(() -> {
				writeSomethingElse();
				cache.list(CONSISTENT);
				return asked(user).stream().skip(before).anyMatch((line) -> line.contains(sign(strategy)));
			});
		}
		assertThat(asked(user)).hasSizeGreaterThan(6).allMatch((line) -> line.contains("timeout="));
	}

	private static String sign(ReadStrategy strategy) {
		return switch (strategy) {
			case VALIDATED -> "resourceVersionMatch=NotOlderThan";
			case BARRIER -> "\"verb\":\"patch\"";
			case LIVE -> "timeout=30000ms";
		};
	}

	@Test
	void aListByASelectorAsksForThatAndNotForTheRest() {
		Access user = this.cluster.user("selective", EVERYTHING);
		ResourceCache<ConfigMap> cache = caches(user.client(), user.client(), UNCHECKED).of(ConfigMap.class);
		ListOptions selecting = CONSISTENT.withLabels(Map.of("color", "red", "size", "xl"));
		cache.list(selecting);
		soon().until(() -> {
			writeSomethingElse();
			assertThat(cache.list(selecting)).isEmpty();
			return asked(user).stream()
				.anyMatch((line) -> line.contains("labelSelector=color%3Dred%2Csize%3Dxl")
						&& line.contains("resourceVersionMatch=NotOlderThan"));
		});
	}

	@Test
	void aSelectorThatTheServerWouldRefuseSelectsNothingInMemory() {
		Access user = this.cluster.user("confused", EVERYTHING);
		ResourceCache<ConfigMap> cache = caches(user.client(), user.client(), UNCHECKED).of(ConfigMap.class);
		soon().until(() -> {
			writeSomethingElse();
			assertThat(cache.list(CONSISTENT.withLabels(Map.of("color", "red and blue")))).isEmpty();
			return asked(user).stream().anyMatch((line) -> line.contains("resourceVersionMatch=NotOlderThan"));
		});
		assertThat(asked(user)).noneMatch((line) -> line.contains("labelSelector"));
	}

	@Test
	void aReadWithoutAnAnswerAsksThreeTimes() {
		Access user = this.cluster.user("cut", EVERYTHING);
		TcpProxy line = opened(TcpProxy.to(this.cluster.apiServer()));
		ResourceCache<ConfigMap> cache = caches(this.client, user.through(line).client(), UNCHECKED)
			.of(ConfigMap.class);
		this.cluster.etcd().process().pause();
		try {
			CompletableFuture<?> read = CompletableFuture.supplyAsync(() -> cache.list(CONSISTENT));
			for (int i = 1; i <= 3; i++) {
				int times = i;
				soon().until(() -> received(user) >= times);
				line.cut();
			}
			assertThat(read).failsWithin(Duration.ofMinutes(2))
				.withThrowableThat()
				.havingCause()
				.isInstanceOfSatisfying(ConsistentReadException.class,
						(ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED));
		}
		finally {
			this.cluster.etcd().process().resume();
		}
		cache.list(CONSISTENT);
		assertThat(received(user)).as("three in vain, and at most two that were answered").isBetween(4L, 5L);
	}

	@Test
	void oneWriteForAllWhoWaitForABarrier() {
		Access user = this.cluster.user("barriers", EVERYTHING);
		TcpProxy watch = opened(TcpProxy.to(this.cluster.apiServer()));
		InformerCaches caches = caches(this.cluster.admin().through(watch).client(), this.client, UNCHECKED);
		BarrierSource<ConfigMap> barrier = new BarrierSource<>(
				(OverlaidStore<ConfigMap>) caches.store(ResourceType.of(ConfigMap.class)).get(),
				new ApiRequests(user.client()), this.client.getKubernetesSerialization(), scope(), "default");
		barrier.read().join();
		long before = asked(user).size();
		watch.pauseResponses();
		CompletableFuture<?> early = barrier.read();
		soon().until(() -> asked(user).size() == before + 1);
		List<CompletableFuture<?>> late = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			late.add(barrier.read());
		}
		assertThat(early).isNotDone();
		watch.heal();
		assertThat(early).succeedsWithin(Duration.ofMinutes(1));
		assertThat(CompletableFuture.allOf(late.toArray(CompletableFuture[]::new)))
			.succeedsWithin(Duration.ofMinutes(1));
		assertThat(asked(user).stream().skip(before)).as("of 51 readers").hasSize(2);
	}

	/** The requests of a user that were answered, but watches. */
	private List<String> asked(Access user) {
		return audited(user, "ResponseComplete").stream().filter((line) -> !line.contains("watch=1")).toList();
	}

	private long received(Access user) {
		return audited(user, "RequestReceived").size();
	}

	private List<String> audited(Access user, String stage) {
		try {
			return Files.readAllLines(this.cluster.apiServer().auditLog())
				.stream()
				.filter((line) -> line.contains("\"username\":\"" + user.user() + "\"")
						&& line.contains("\"stage\":\"" + stage + "\""))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/* The version moves on, and the watch of the informer does not tell. */
	private void writeSomethingElse() {
		this.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withGenerateName("other-")
				.endMetadata()
				.build())
			.create();
	}

	private InformerCaches caches(KubernetesClient watching, KubernetesClient asking, ReadOptions reads) {
		InformerCaches caches = opened(new InformerCaches(watching, new ApiRequests(asking), scope(),
				new ObjectCopier(asking.getKubernetesSerialization()), InstantSource.system(), System::nanoTime, reads,
				new SimpleMeterRegistry()));
		caches.of(ConfigMap.class);
		caches.start();
		assertThat(caches.synced()).succeedsWithin(Duration.ofMinutes(1));
		return caches;
	}

	private CacheScope scope() {
		return new CacheScope(Set.of(this.namespace), "", "", "requests-test", false);
	}

	private <C extends AutoCloseable> C opened(C closeable) {
		this.open.add(closeable);
		return closeable;
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(50));
	}

}
