package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import dev.sharding.core.qos.Accounting;
import dev.sharding.core.qos.Cost;
import dev.sharding.core.qos.QosClass;
import dev.sharding.core.qos.QosRule;
import dev.sharding.core.qos.QosRules;
import dev.sharding.core.read.VersionMatch;
import dev.sharding.kubernetes.cache.CacheScope;
import dev.sharding.kubernetes.cache.Freshness;
import dev.sharding.kubernetes.cache.InformerCaches;
import dev.sharding.kubernetes.cache.ListOptions;
import dev.sharding.kubernetes.cache.ObjectCopier;
import dev.sharding.kubernetes.cache.ObjectPage;
import dev.sharding.kubernetes.cache.ReadOptions;
import dev.sharding.kubernetes.cache.ReadStrategy;
import dev.sharding.kubernetes.cache.ResourceCache;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ThrottledClient;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Consistent reads under a rule that lets nothing else through. */
@ControlPlaneTest
class ExemptReadsIT {

	private final Qos qos = new Qos(QosRules.NONE, QosOptions.DEFAULTS,
			QosPieces.standard(RateLimiterRegistry.ofDefaults(), BulkheadRegistry.ofDefaults(), System::nanoTime),
			new SimpleMeterRegistry(), InstantSource.system(), System::nanoTime);

	private final KubernetesClient plain;

	private final String namespace;

	ExemptReadsIT(KubernetesClient plain, @TestNamespace String namespace) {
		this.plain = plain;
		this.namespace = namespace;
	}

	@ParameterizedTest
	@EnumSource
	void consistentReadsPassWhereNothingElseDoes(ReadStrategy strategy) {
		KubernetesClient limited = ThrottledClient
			.of(new KubernetesClientBuilder().withConfig(this.plain.getConfiguration()).build(), this.qos);
		ApiRequests requests = new ApiRequests(limited);
		try (limited;
				InformerCaches caches = new InformerCaches(limited, requests,
						new CacheScope(Set.of(this.namespace), "", "", "exempt-test", false),
						new ObjectCopier(limited.getKubernetesSerialization()), InstantSource.system(),
						System::nanoTime, ReadOptions.DEFAULTS.withStrategy("configmaps", strategy),
						new SimpleMeterRegistry())) {
			ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
			caches.start();
			assertThat(caches.synced()).succeedsWithin(Duration.ofMinutes(1));
			letNothingThrough(requests);
			for (int i = 0; i < 3; i++) {
				ObjectKey key = new ObjectKey(this.namespace, strategy.name().toLowerCase(Locale.ROOT) + "-" + i);
				create(key);
				assertThat(cache.list(ListOptions.all().freshness(Freshness.CONSISTENT))).extracting(ObjectKey::of)
					.contains(key);
				assertThat(cache.get(key, Freshness.CONSISTENT)).isPresent();
			}
			ObjectPage<ConfigMap> page = cache.page(ListOptions.all().freshness(Freshness.CONSISTENT));
			ListOptions then = ListOptions.all().resourceVersion(page.resourceVersion(), VersionMatch.EXACT);
			assertThat(cache.list(then)).hasSameSizeAs(page.items());
			ObjectPage<ConfigMap> first = cache.page(then.limit(1));
			assertThat(cache.page(ListOptions.all().limit(1).continueFrom(first.continueToken())).items()).hasSize(1);
		}
	}

	private void letNothingThrough(ApiRequests requests) {
		QosRule rule = new QosRule("nothing", true, 1, List.of(), List.of(), Set.of(), List.of(), "class",
				Cost.REQUESTS, Accounting.RULE, false, Duration.ZERO);
		this.qos
			.change((before) -> QosRules.define(Map.of("class", new QosClass.TokenBucket(0.001, 1)), List.of(rule)));
		ApiRequest list = ApiRequest.of("GET", "/api/v1/namespaces/" + this.namespace + "/configmaps");
		assertThat(requests.send(list)).succeedsWithin(Duration.ofMinutes(1));
		assertThatExceptionOfType(QosLimitedException.class).isThrownBy(() -> requests.call(list));
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
