package dev.sharding.kubernetes.cache;

import java.time.Duration;
import java.util.Set;

import io.fabric8.kubernetes.api.model.ConfigMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.kubernetes.cache.ConsistentReadException.Reason;
import dev.sharding.kubernetes.informer.Informer;
import dev.sharding.kubernetes.informer.InformerSpec;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiRequests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class BarrierSourceTests {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	@ParameterizedTest
	@ValueSource(strings = { "<html>Log in</html>", "{}", "{\"metadata\":{\"name\":\"sharding-barrier-me\"}}" })
	void anAnswerThatCannotBeReadEndsTheReadAndNamesTheMarker(String body) {
		try (HttpAnswers server = new HttpAnswers(HttpAnswers.ok(body));
				Informer<ConfigMap> informer = new Informer<>(server.client,
						InformerSpec.of(TYPE).inNamespaces(Set.of("ns")).withLabelSelector("shard=me"))) {
			ScopedAccess<ConfigMap> access = new ScopedAccess<>(null, "");
			OverlaidStore<ConfigMap> store = new OverlaidStore<>(informer,
					new CacheOverlay<>(informer, access,
							(namespace) -> new ServerQuestions<>(TYPE, namespace, null,
									new ApiRequests(server.client)::send, server.client.getKubernetesSerialization()),
							System::nanoTime),
					access);
			BarrierSource<ConfigMap> barrier = new BarrierSource<>(store, new ApiRequests(server.client),
					server.client.getKubernetesSerialization(),
					new CacheScope(Set.of("ns"), "ring", "me", "test", false), "default");
			ReadWait wait = new ReadWait(TYPE, System::nanoTime, Duration.ofSeconds(30), null);
			assertThatExceptionOfType(ConsistentReadException.class).isThrownBy(() -> wait.await(barrier.read()))
				.withMessageContaining("configmaps")
				.withMessageContaining("ns/sharding-barrier-me")
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED));
		}
	}

}
