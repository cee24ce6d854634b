package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;
import java.util.Set;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.ConsistentReadException.Reason;
import dev.sharding.cache.Freshness;
import dev.sharding.internal.kubernetes.cache.check.ReadMeters;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.CacheOverlay;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.overlay.ScopedAccess;
import dev.sharding.internal.kubernetes.cache.overlay.SpoiledAnswers;
import dev.sharding.internal.kubernetes.cache.read.BarrierSource;
import dev.sharding.internal.kubernetes.cache.read.ConsistentReads;
import dev.sharding.internal.kubernetes.cache.read.ConsistentReadSources;
import dev.sharding.internal.kubernetes.cache.read.LiveReadIT;
import dev.sharding.internal.kubernetes.cache.read.LiveSource;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies.InForce;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies.Origin;
import dev.sharding.internal.kubernetes.cache.read.ResourceReader;
import dev.sharding.internal.kubernetes.cache.read.ServerQuestions;
import dev.sharding.internal.kubernetes.cache.read.ValidatedSource;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The API server asks to come again after the deadline of a reader, but before that of
 * the work which readers share.
 */
@ControlPlaneTest
class RetryHintIT {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private final ControlPlane cluster;

	RetryHintIT(ControlPlane cluster) {
		this.cluster = cluster;
	}

	@ParameterizedTest
	@EnumSource
	void whoseDeadlinePassesLearnsWhenToComeAgain(ReadStrategy strategy) {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.refusal(429, 20));
				Informer<ConfigMap> informer = new Informer<>(server.client, InformerSpec.of(TYPE))) {
			ApiRequests requests = new ApiRequests(server.client);
			ScopedAccess<ConfigMap> access = new ScopedAccess<>(null, "");
			CacheOverlay<ConfigMap> overlay = new CacheOverlay<>(informer, access,
					(namespace) -> new ServerQuestions<>(TYPE, namespace, null, requests::send,
							server.client.getKubernetesSerialization()),
					System::nanoTime);
			ResourceReader<ConfigMap> reader = new ResourceReader<>(TYPE, requests,
					server.client.getKubernetesSerialization());
			CacheScope scope = new CacheScope(Set.of(), "", "", "hint-test", false);
			ConsistentReadSources<ConfigMap> sources = new ConsistentReadSources<>(
					(watermark) -> new InForce(strategy, Origin.RESOURCE), (which) -> (store) -> switch (which) {
						case VALIDATED -> new ValidatedSource<>(store);
						case BARRIER -> new BarrierSource<>(store, requests, server.client.getKubernetesSerialization(),
								scope, "default");
						case LIVE -> new LiveSource<>(InformerSpec.of(TYPE), reader);
					});
			ConsistentReads<ConfigMap> reads = new ConsistentReads<>(TYPE, reader, sources,
					new ReadMeters(new SimpleMeterRegistry(), "configmaps"), System::nanoTime, LiveReadIT.UNSAMPLED);
			Freshness soon = Freshness.CONSISTENT.within(Duration.ofSeconds(6));
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> reads.read(new OverlaidStore<>(informer, overlay, access), "", soon,
						ConsistentReads.NONE, StoreView::list))
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.DEADLINE))
				.satisfies((ex) -> assertThat(ex.retryAfter()).isBetween(Duration.ofSeconds(8),
						Duration.ofMillis(19_500)));
			assertThat(server.requests()).hasSize(1);
		}
	}

}
