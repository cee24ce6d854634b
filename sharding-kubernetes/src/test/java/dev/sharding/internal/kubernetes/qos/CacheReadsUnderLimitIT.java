package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ObjectPage;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.VersionMatch;
import dev.sharding.client.QosLimitedException;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What caches ask the API server, under rules about it. */
@ControlPlaneTest
class CacheReadsUnderLimitIT {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final Qos qos = new Qos(QosRules.NONE, QosOptions.DEFAULTS,
			QosPieces.standard(RateLimiterRegistry.ofDefaults(), BulkheadRegistry.ofDefaults(), System::nanoTime),
			new SimpleMeterRegistry(), InstantSource.system(), System::nanoTime);

	private final KubernetesClient plain;

	private final String namespace;

	private final KubernetesClient limited;

	CacheReadsUnderLimitIT(KubernetesClient plain, @TestNamespace String namespace) {
		this.plain = plain;
		this.limited = ThrottledClient.of(new KubernetesClientBuilder().withConfig(plain.getConfiguration()).build(),
				this.qos);
		this.namespace = namespace;
	}

	@AfterEach
	void disconnect() {
		this.limited.close();
	}

	@Test
	void everyListOfACacheIsSeen() {
		limit(new QosClass.TokenBucket(1_000, 1_000), Duration.ofMinutes(1), Set.of(Operation.LIST, Operation.WATCH));
		create(key("seen-0"));
		create(key("seen-1"));
		try (InformerCaches caches = caches(ReadStrategy.LIVE)) {
			ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
			caches.start();
			assertThat(caches.synced()).succeedsWithin(PATIENCE);
			// A list, or the watch that brings one.
			seen(0);
			limit(new QosClass.TokenBucket(1_000, 1_000), Duration.ofMinutes(1), Set.of(Operation.LIST));
			long lists = this.qos.counts().get(0).matched();
			cache.list(ListOptions.all().freshness(Freshness.CONSISTENT));
			lists = seen(lists);
			ObjectPage<ConfigMap> now = cache.page(ListOptions.all().freshness(Freshness.CONSISTENT));
			lists = seen(lists);
			ListOptions then = ListOptions.all().resourceVersion(now.resourceVersion(), VersionMatch.EXACT);
			cache.list(then);
			lists = seen(lists);
			ObjectPage<ConfigMap> first = cache.page(then.limit(1));
			lists = seen(lists);
			cache.page(ListOptions.all().limit(1).continueFrom(first.continueToken()));
			seen(lists);
		}
	}

	/* Each list is counted before its answer is there. */
	private long seen(long before) {
		long matched = this.qos.counts().get(0).matched();
		assertThat(matched).isGreaterThan(before);
		return matched;
	}

	@Test
	void listsOfACacheAreRefusedAndTheReadSaysByWhichRule() {
		try (InformerCaches caches = caches(ReadStrategy.LIVE)) {
			ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
			caches.start();
			assertThat(caches.synced()).succeedsWithin(PATIENCE);
			ObjectPage<ConfigMap> now = cache.page(ListOptions.all().freshness(Freshness.CONSISTENT));
			letNothingThrough(Duration.ZERO);
			for (ListOptions options : List.of(ListOptions.all().freshness(Freshness.CONSISTENT),
					ListOptions.all().resourceVersion(now.resourceVersion(), VersionMatch.EXACT),
					ListOptions.all().resourceVersion(now.resourceVersion(), VersionMatch.EXACT).limit(1))) {
				assertThatThrownBy(() -> cache.page(options)).satisfies((ex) -> assertThat(causes(ex))
					.anySatisfy((cause) -> assertThat(cause).isInstanceOf(QosLimitedException.class)));
			}
			assertThatThrownBy(() -> cache.get(key("any"), Freshness.LIVE)).satisfies((ex) -> assertThat(causes(ex))
				.anySatisfy((cause) -> assertThat(cause).isInstanceOf(QosLimitedException.class)));
		}
	}

	/* Whatever the resource's strategy: such a read is one of the API server. */
	@ParameterizedTest
	@EnumSource
	@Tag("since-1.31")
	void aLiveReadCountsUnderTheLimitAndIsRefusedByIt(ReadStrategy strategy) {
		ListOptions live = ListOptions.all().freshness(Freshness.LIVE);
		ObjectKey key = key("live-" + strategy.name().toLowerCase(Locale.ROOT));
		create(key);
		try (InformerCaches caches = caches(strategy)) {
			ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
			caches.start();
			assertThat(caches.synced()).succeedsWithin(PATIENCE);
			limit(new QosClass.TokenBucket(1_000, 1_000), Duration.ofMinutes(1), Set.of(Operation.LIST));
			assertThat(cache.list(live)).extracting(ObjectKey::of).contains(key);
			long lists = seen(0);
			limit(new QosClass.TokenBucket(1_000, 1_000), Duration.ofMinutes(1), Set.of(Operation.GET));
			assertThat(cache.get(key, Freshness.LIVE)).isPresent();
			seen(lists);
			letNothingThrough(Duration.ZERO);
			for (ThrowingCallable read : List.<ThrowingCallable>of(() -> cache.list(live),
					() -> cache.get(key, Freshness.LIVE))) {
				assertThatThrownBy(read).satisfies((ex) -> assertThat(causes(ex))
					.anySatisfy((cause) -> assertThat(cause).isInstanceOf(QosLimitedException.class)));
			}
		}
	}

	/*
	 * A probe, a marker or the object by its name: they cost little, whatever there is.
	 */
	@ParameterizedTest
	@EnumSource
	@Tag("since-1.31")
	void cheapQuestionsPassWhereNothingElseDoes(ReadStrategy strategy) {
		try (InformerCaches caches = caches(strategy)) {
			ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
			caches.start();
			assertThat(caches.synced()).succeedsWithin(PATIENCE);
			// A list that waits for its turn ends when the watch was faster.
			letNothingThrough(Duration.ofDays(1));
			for (int i = 0; i < 3; i++) {
				ObjectKey key = key(strategy.name().toLowerCase(Locale.ROOT) + "-" + i);
				create(key);
				assertThat(cache.get(key, Freshness.CONSISTENT)).isPresent();
				if (strategy != ReadStrategy.LIVE) {
					assertThat(cache.list(ListOptions.all().freshness(Freshness.CONSISTENT))).extracting(ObjectKey::of)
						.contains(key);
				}
			}
		}
	}

	private static List<Throwable> causes(Throwable failure) {
		List<Throwable> causes = new ArrayList<>();
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			causes.add(cause);
		}
		return causes;
	}

	private InformerCaches caches(ReadStrategy strategy) {
		return new InformerCaches(this.limited, new ApiRequests(this.limited),
				new CacheScope(Set.of(this.namespace), "", "", "limit-test", false),
				new ObjectCopier(this.limited.getKubernetesSerialization()), InstantSource.system(), System::nanoTime,
				ReadOptions.DEFAULTS.withStrategy("configmaps", strategy), new SimpleMeterRegistry());
	}

	private void letNothingThrough(Duration longestWait) {
		limit(new QosClass.TokenBucket(0.00001, 1), longestWait, Set.of());
		assertThat(new ApiRequests(this.limited)
			.send(ApiRequest.of("GET", "/api/v1/namespaces/" + this.namespace + "/configmaps")))
			.succeedsWithin(PATIENCE);
	}

	private void limit(QosClass qosClass, Duration longestWait, Set<Operation> operations) {
		QosRule rule = new QosRule("rule", true, 1, List.of(), List.of(), operations, List.of(), "class", Cost.REQUESTS,
				Accounting.RULE, false, "", longestWait);
		this.qos.change((before) -> QosRules.define(Map.of("class", qosClass), List.of(rule)));
	}

	private ObjectKey key(String name) {
		return new ObjectKey(this.namespace, name);
	}

	private void create(ObjectKey key) {
		this.plain
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(key.namespace())
				.withName(key.name())
				.endMetadata()
				.build())
			.create();
	}

}
