package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.Set;

import io.fabric8.kubernetes.api.model.ConfigMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.ConsistentReadException.Reason;
import dev.sharding.internal.kubernetes.cache.overlay.CacheOverlay;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.overlay.ScopedAccess;
import dev.sharding.internal.kubernetes.cache.overlay.SpoiledAnswers;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ControlPlaneTest
class BarrierSourceIT {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private final ControlPlane cluster;

	private final String namespace;

	BarrierSourceIT(ControlPlane cluster, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.namespace = namespace;
	}

	@ParameterizedTest
	@ValueSource(strings = { "<html>Log in</html>", "{}", "{\"metadata\":{\"name\":\"sharding-barrier-me\"}}" })
	void anAnswerThatCannotBeReadEndsTheReadAndNamesTheMarker(String body) {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.ok(body));
				Informer<ConfigMap> informer = new Informer<>(server.client,
						InformerSpec.of(TYPE).inNamespaces(Set.of(this.namespace)).withLabelSelector("shard=me"))) {
			ScopedAccess<ConfigMap> access = new ScopedAccess<>(null, "");
			OverlaidStore<ConfigMap> store = new OverlaidStore<>(informer,
					new CacheOverlay<>(informer, access,
							(namespace) -> new ServerQuestions<>(TYPE, namespace, null,
									new ApiRequests(server.client)::send, server.client.getKubernetesSerialization()),
							System::nanoTime),
					access);
			BarrierSource<ConfigMap> barrier = new BarrierSource<>(store, new ApiRequests(server.client),
					server.client.getKubernetesSerialization(),
					new CacheScope(Set.of(this.namespace), "ring", "me", "test", false), "default");
			ReadWait wait = new ReadWait(TYPE, System::nanoTime, Duration.ofSeconds(30), null);
			assertThatExceptionOfType(ConsistentReadException.class).isThrownBy(() -> wait.await(barrier.read()))
				.withMessageContaining("configmaps")
				.withMessageContaining(this.namespace + "/sharding-barrier-me")
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED));
		}
	}

}
