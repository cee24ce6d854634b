package dev.sharding.cache;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@ControlPlaneTest
class ResourceCacheIT {

	private static final ResourceType<ConfigMap> CONFIG_MAPS = ResourceType.of(ConfigMap.class);

	private static final String SHARD = ShardingLabels.shard("ring");

	private final KubernetesClient client;

	private final String namespace;

	private final InformerCaches caches;

	private ResourceCache<ConfigMap> cache;

	ResourceCacheIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
		this.caches = new InformerCaches(client, new ApiRequests(client),
				new CacheScope(Set.of(namespace), "", "", "cache-test", false),
				new ObjectCopier(client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime);
	}

	@BeforeEach
	void start() {
		this.cache = this.caches.of(ConfigMap.class);
		this.caches.index(CONFIG_MAPS, "colour", (map) -> List.of(map.getData().getOrDefault("colour", "none")));
		this.caches.start();
		assertThat(this.caches.synced()).succeedsWithin(Duration.ofSeconds(60));
	}

	@AfterEach
	void close() {
		this.caches.close();
		this.client.configMaps().inNamespace(this.namespace).delete();
	}

	@Test
	void readsWhatTheInformerHas() {
		this.cache.create(configMap("a", Map.of("colour", "red")));
		this.cache.create(configMap("b", Map.of("colour", "blue")));
		soon().until(() -> this.cache.list(here()).size() == 2);
		assertThat(this.cache.get(this.namespace, "a")).isPresent();
		assertThat(this.cache.get(new ObjectKey(this.namespace, "absent"), Freshness.ANY)).isEmpty();
		assertThat(this.cache.byIndex("colour", "red")).extracting((map) -> map.getMetadata().getName())
			.containsExactly("a");
		assertThat(this.cache.list(here().withLabels(Map.of("made", "by-test")))).hasSize(2);
		assertThat(this.cache.list(here().withLabels(Map.of("made", "by-others")))).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> this.cache.byIndex("size", "1"));
	}

	@Test
	void handsOutCopiesUnlessAskedNotTo() {
		this.cache.create(configMap("a", Map.of("colour", "red")));
		soon().until(() -> this.cache.get(this.namespace, "a").isPresent());
		this.cache.get(this.namespace, "a").orElseThrow().getData().clear();
		this.cache.list(here()).get(0).setData(null);
		this.cache.byIndex("colour", "red").get(0).getMetadata().setName("spoilt");
		assertThat(this.cache.get(this.namespace, "a").orElseThrow().getData()).containsEntry("colour", "red");
		ListOptions shared = here().withoutCopying();
		assertThat(this.cache.list(shared).get(0)).isSameAs(this.cache.list(shared).get(0));
	}

	@Test
	void aWriteThatWasDecidedOnAnOldStateFails() {
		ConfigMap old = this.cache.create(configMap("a", Map.of("n", "1")));
		old.getData().put("n", "2");
		ConfigMap updated = this.cache.update(old);
		assertThat(updated.getData()).containsEntry("n", "2");
		assertThatExceptionOfType(ApiException.class).isThrownBy(() -> this.cache.update(old))
			.satisfies((ex) -> assertThat(ex.status()).isEqualTo(409))
			.withMessageContaining(this.namespace + "/a");
		assertThatExceptionOfType(ApiException.class).isThrownBy(() -> this.cache.patch(old, (map) -> {
			map.getData().put("n", "3");
			return map;
		})).satisfies((ex) -> assertThat(ex.status()).isEqualTo(409));
		assertThatExceptionOfType(ApiException.class)
			.isThrownBy(() -> this.cache.delete(old, DeleteOptions.defaults().onlyIfUnchanged()))
			.satisfies((ex) -> assertThat(ex.status()).isEqualTo(409));
	}

	@Test
	void anObjectFromScratchTakesTheVersionFromTheCache() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.cache.update(configMap("a", Map.of())))
			.withMessageContaining("it has no resource version and is not in the cache");
		this.cache.create(configMap("a", Map.of("n", "1")));
		soon().until(() -> this.cache.get(this.namespace, "a").isPresent());
		assertThat(this.cache.update(configMap("a", Map.of("n", "2"))).getData()).containsEntry("n", "2");
	}

	@Test
	void aPatchSendsWhatChanged() {
		ConfigMap made = this.cache.create(configMap("a", Map.of("kept", "1", "gone", "1")));
		ConfigMap patched = this.cache.patch(made, (map) -> {
			map.getData().remove("gone");
			map.getData().put("new", "1");
			map.getMetadata().setLabels(null);
			return map;
		});
		assertThat(patched.getData()).containsOnlyKeys("kept", "new");
		assertThat(patched.getMetadata().getLabels()).isNullOrEmpty();
		ConfigMap same = this.cache.patch(patched, (map) -> map);
		assertThat(same.getMetadata().getResourceVersion()).isEqualTo(patched.getMetadata().getResourceVersion());
	}

	@Test
	void keepsShardingLabelsThatTheCopyHasLost() {
		ConfigMap made = this.client
			.resource(new ConfigMapBuilder(configMap("a", Map.of("n", "1"))).editMetadata()
				.addToLabels(SHARD, "s1")
				.endMetadata()
				.build())
			.create();
		soon().until(() -> this.cache.get(this.namespace, "a").isPresent());
		made.getMetadata().setLabels(Map.of("mine", "only"));
		ConfigMap updated = this.cache.update(made);
		assertThat(updated.getMetadata().getLabels()).containsOnly(Map.entry("mine", "only"), Map.entry(SHARD, "s1"));
		ConfigMap patched = this.cache.patch(updated, (map) -> {
			map.getMetadata().setLabels(null);
			return map;
		});
		assertThat(patched.getMetadata().getLabels()).containsOnly(Map.entry(SHARD, "s1"));
		soon().until(() -> this.cache.get(this.namespace, "a")
			.orElseThrow()
			.getMetadata()
			.getResourceVersion()
			.equals(patched.getMetadata().getResourceVersion()));
		ConfigMap applied = this.cache.apply(configMap("a", Map.of("n", "3")));
		assertThat(applied.getMetadata().getLabels()).containsEntry(SHARD, "s1");
		assertThat(applied.getData()).containsEntry("n", "3");
	}

	@Test
	void applyCreatesAndTakesOverWhatItSets() {
		ConfigMap applied = this.cache.apply(configMap("a", Map.of("n", "1", "m", "1")));
		assertThat(applied.getData()).containsOnlyKeys("n", "m");
		this.client.configMaps()
			.inNamespace(this.namespace)
			.withName("a")
			.edit((map) -> new ConfigMapBuilder(map).addToData("foreign", "1").addToData("n", "vandal").build());
		ConfigMap again = this.cache.apply(configMap("a", Map.of("n", "2")));
		assertThat(again.getData()).containsOnly(Map.entry("n", "2"), Map.entry("foreign", "1"));
	}

	@Test
	void deletingWhatIsGoneIsNoError() {
		ConfigMap made = this.cache.create(configMap("a", Map.of()));
		this.cache.delete(made);
		this.cache.delete(made);
		assertThat(this.client.configMaps().inNamespace(this.namespace).withName("a").get()).isNull();
	}

	@Test
	void servesResourcesWithoutAClassAndTheirStatus() {
		CustomResourceDefinitions.apply(this.client, "/crds/widgets.yaml");
		ResourceCache<GenericKubernetesResource> widgets = this.caches
			.of(new ResourceDefinitionContext.Builder().withGroup("test.sharding.dev")
				.withVersion("v1")
				.withKind("Widget")
				.withPlural("widgets")
				.withNamespaced(true)
				.build());
		GenericKubernetesResource widget = new GenericKubernetesResource();
		widget.setMetadata(new ObjectMetaBuilder().withNamespace(this.namespace).withName("w").build());
		widget.setAdditionalProperty("spec", Map.of("size", 1));
		GenericKubernetesResource made = widgets.create(widget);
		assertThat(made.<Integer>get("spec", "size")).isEqualTo(1);
		made.setAdditionalProperty("status", Map.of("ready", true));
		assertThat(widgets.updateStatus(made).<Boolean>get("status", "ready")).isTrue();
		soon().until(() -> widgets.get(this.namespace, "w")
			.filter((read) -> Boolean.TRUE.equals(read.get("status", "ready")))
			.isPresent());
		widgets.delete(widgets.get(this.namespace, "w").orElseThrow());
		soon().until(() -> widgets.get(this.namespace, "w").isEmpty());
	}

	@Test
	void refusesWhatCannotBeAddressed() {
		ConfigMap nowhere = new ConfigMapBuilder().withNewMetadata().withName("a").endMetadata().build();
		assertThatIllegalArgumentException().isThrownBy(() -> this.cache.create(nowhere))
			.withMessageContaining("'metadata.namespace' must be set");
		assertThatIllegalStateException()
			.isThrownBy(() -> this.caches.index(CONFIG_MAPS, "late", (map) -> List.of("x")))
			.withMessageContaining("must be declared before the informer starts");
	}

	private ListOptions here() {
		return ListOptions.all().inNamespace(this.namespace).withLabels(Map.of("made", "by-test"));
	}

	private ConfigMap configMap(String name, Map<String, String> data) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.addToLabels("made", "by-test")
			.endMetadata()
			.withData(data)
			.build();
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(60));
	}

}
