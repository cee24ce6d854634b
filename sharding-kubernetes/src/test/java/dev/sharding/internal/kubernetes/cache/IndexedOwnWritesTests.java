package dev.sharding.internal.kubernetes.cache;

import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.cache.check.ListedView;
import dev.sharding.internal.kubernetes.cache.overlay.CacheOverlay;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.overlay.ScopedAccess;
import dev.sharding.internal.kubernetes.cache.read.ServerQuestions;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Reads by index of what this process has just written. The informer does not run, so
 * that own writes are all there is.
 */
class IndexedOwnWritesTests {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private static final InformerSpec<ConfigMap> SPEC = InformerSpec.of(TYPE)
		.withIndex("k", (map) -> List.of(map.getData().get("k")))
		.withIndex("nothing", (map) -> null);

	@Test
	void anOwnWriteThatAnIndexCannotFileIsNotFoundByItAndHidesNothingElse() {
		// Nobody asks it anything.
		try (KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:1").build())
			.build(); Informer<ConfigMap> informer = new Informer<>(client, SPEC)) {
			ScopedAccess<ConfigMap> access = new ScopedAccess<>(null, "");
			ApiRequests requests = new ApiRequests(client);
			CacheOverlay<ConfigMap> overlay = new CacheOverlay<>(informer, access,
					(namespace) -> new ServerQuestions<>(TYPE, namespace, null, requests::send,
							client.getKubernetesSerialization()),
					System::nanoTime);
			OverlaidStore<ConfigMap> store = new OverlaidStore<>(informer, overlay, access);
			overlay.handIn(configMap("bad", Map.of()));
			overlay.handIn(configMap("good", Map.of("k", "v")));
			assertThat(store.byIndex("k", "v")).extracting((map) -> map.getMetadata().getName())
				.containsExactly("good");
			assertThat(store.byIndex("nothing", "v")).isEmpty();
		}
	}

	@Test
	void aListByTheApiServerIsNotSpoiltByOneObject() {
		ListedView<ConfigMap> view = new ListedView<>(
				List.of(configMap("bad", Map.of()), configMap("good", Map.of("k", "v"))), List.of(), "1", SPEC);
		assertThat(view.byIndex("k", "v")).extracting((map) -> map.getMetadata().getName()).containsExactly("good");
		assertThat(view.byIndex("nothing", "v")).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> view.byIndex("other", "v"))
			.withMessageContaining("No index 'other'");
	}

	private static ConfigMap configMap(String name, Map<String, String> data) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace("ns")
			.withName(name)
			.withUid(name)
			.withResourceVersion("5")
			.endMetadata()
			.withData(data)
			.build();
	}

}
