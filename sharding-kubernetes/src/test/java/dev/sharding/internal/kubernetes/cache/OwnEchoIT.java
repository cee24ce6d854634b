package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.core.overlay.OverlayStatus;
import dev.sharding.internal.kubernetes.informer.CountingSerialization;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a write brought, the watch tells once more: the same, and so it is not parsed
 * again. The watch is held back until the write has returned.
 */
@ControlPlaneTest
class OwnEchoIT {

	private static final ResourceType<GenericKubernetesResource> WIDGETS = ResourceType
		.of(new ResourceDefinitionContext.Builder().withGroup("test.sharding.dev")
			.withVersion("v1")
			.withKind("Widget")
			.withPlural("widgets")
			.withNamespaced(true)
			.build());

	private static final ResourceType<Secret> SECRETS = ResourceType.of(Secret.class);

	private final CountingSerialization serialization = new CountingSerialization();

	private final OverlayWorld world;

	private final KubernetesClient watching;

	OwnEchoIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new OverlayWorld(cluster, client, namespace);
		this.watching = new KubernetesClientBuilder().withConfig(cluster.admin().through(this.world.watches).config())
			.withKubernetesSerialization(this.serialization)
			.build();
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
		this.watching.close();
	}

	@Test
	void itIsParsedOnce() {
		InformerCaches caches = this.world.caches(this.watching, this.world.writing);
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		ConfigMap made = cache.create(this.world.configMap("a", "1"));
		awaitTold(cache, made);
		this.serialization.parsed();
		this.world.watches.pauseResponses();
		ConfigMap updated = cache.update(OverlayWorld.changed(made, "2"));
		assertThat(this.serialization.parsed()).isEqualTo(1);
		this.world.watches.heal();
		awaitTold(cache, updated);
		assertThat(this.serialization.parsed()).isZero();
		assertThat(cache.byIndex("n", "2")).containsExactly(updated);
		OverlayWorld.soon().until(() -> caches.overlayStatuses().values().stream().allMatch(OverlayStatus::isEmpty));
	}

	@Test
	void itIsParsedOnceIfTheWatchTellsItFirst() {
		InformerCaches caches = this.world.caches(this.watching, this.world.writing);
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		ConfigMap made = cache.create(this.world.configMap("a", "1"));
		awaitTold(cache, made);
		this.serialization.parsed();
		List<ConfigMap> answers = new CopyOnWriteArrayList<>();
		CompletableFuture<Void> update = this.world.inFlight(
				() -> answers.add(cache.update(OverlayWorld.changed(made, "2"))),
				() -> cache.byIndex("n", "2").size() == 1);
		this.world.writes.heal();
		assertThat(update).succeedsWithin(Duration.ofSeconds(60));
		assertThat(this.serialization.parsed()).isEqualTo(1);
		assertThat(answers.get(0).getData()).containsEntry("n", "2");
		assertThat(cache.byIndex("n", "2")).containsExactly(answers.get(0));
		answers.get(0).getData().put("n", "3");
		assertThat(cache.byIndex("n", "2")).hasSize(1);
		OverlayWorld.soon().until(() -> caches.overlayStatuses().values().stream().allMatch(OverlayStatus::isEmpty));
	}

	@Test
	void whateverTheWriteItBringsWhatTheWatchTells() {
		CustomResourceDefinitions.apply(this.world.client, "/crds/widgets.yaml");
		InformerCaches ours = started(this.watching);
		InformerCaches others = started(this.world.client);
		Both<GenericKubernetesResource> widgets = new Both<>(ours.of(WIDGETS), others.of(WIDGETS));
		ResourceCache<GenericKubernetesResource> cache = widgets.ours;
		GenericKubernetesResource made = agree(widgets, () -> cache.create(widget(1)));
		GenericKubernetesResource updated = agree(widgets, () -> cache.update(with(made, "spec", Map.of("size", 2))));
		GenericKubernetesResource patched = agree(widgets,
				() -> cache.patch(updated, (widget) -> with(widget, "spec", Map.of("size", 3))));
		agree(widgets, () -> cache.apply(widget(4)));
		GenericKubernetesResource status = agree(widgets,
				() -> cache.updateStatus(with(current(cache, patched), "status", Map.of("a", "1"))));
		agree(widgets, () -> cache.patchStatus(status, (widget) -> with(widget, "status", Map.of("b", "2"))));
		agree(widgets, () -> cache.applyStatus(with(widget(5), "status", Map.of("c", "3"))));
		Both<Secret> secrets = new Both<>(ours.of(SECRETS), others.of(SECRETS));
		Secret secret = agree(secrets,
				() -> secrets.ours.create(new SecretBuilder().withNewMetadata()
					.withNamespace(this.world.namespace)
					.withName("a")
					.addToLabels("l", "1")
					.endMetadata()
					.addToStringData("key", "value")
					.build()));
		agree(secrets, () -> secrets.ours.update(new SecretBuilder(secret).addToData("more", "eA==").build()));
	}

	private InformerCaches started(KubernetesClient client) {
		InformerCaches caches = this.world.unstarted(client, this.world.writing, "", "");
		caches.of(WIDGETS);
		caches.of(SECRETS);
		caches.start();
		assertThat(caches.synced()).succeedsWithin(Duration.ofSeconds(60));
		return caches;
	}

	private <T extends HasMetadata> T agree(Both<T> both, Supplier<T> write) {
		this.world.watches.pauseResponses();
		T answer = write.get();
		this.world.watches.heal();
		awaitTold(both.ours, answer);
		awaitTold(both.others, answer);
		T ours = current(both.ours, answer);
		T others = current(both.others, answer);
		assertThat(ours).isEqualTo(others);
		assertThat(this.serialization.asJson(ours)).isEqualTo(this.serialization.asJson(others));
		return answer;
	}

	private static <T extends HasMetadata> void awaitTold(ResourceCache<T> cache, T object) {
		String version = object.getMetadata().getResourceVersion();
		OverlayWorld.soon()
			.until(() -> cache.get(ObjectKey.of(object), Freshness.ANY)
				.filter((told) -> version.equals(told.getMetadata().getResourceVersion()))
				.isPresent());
	}

	private static <T extends HasMetadata> T current(ResourceCache<T> cache, T object) {
		return cache.get(ObjectKey.of(object), Freshness.ANY).orElseThrow();
	}

	private GenericKubernetesResource widget(int size) {
		return new GenericKubernetesResourceBuilder().withNewMetadata()
			.withNamespace(this.world.namespace)
			.withName("w")
			.endMetadata()
			.addToAdditionalProperties("spec", Map.of("size", size))
			.build();
	}

	private static GenericKubernetesResource with(GenericKubernetesResource object, String field, Object value) {
		return new GenericKubernetesResourceBuilder(object).addToAdditionalProperties(field, value).build();
	}

	/**
	 * The caches of one resource.
	 *
	 * @param ours write, and know it
	 * @param others hear of it by their watch only
	 */
	private record Both<T extends HasMetadata>(ResourceCache<T> ours, ResourceCache<T> others) {
	}

}
