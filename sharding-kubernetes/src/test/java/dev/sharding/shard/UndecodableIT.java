package dev.sharding.shard;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.VersionMatch;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.kubernetes.informer.SizedWidget;
import dev.sharding.internal.kubernetes.informer.wire.UndecodableException;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A shard whose objects do not fit their class, as after a change of the custom resource
 * that the program does not know yet.
 */
@ControlPlaneTest
class UndecodableIT {

	private static final ResourceType<SizedWidget> WIDGETS = ResourceType.of(SizedWidget.class);

	private final ShardWorld world;

	private final List<Integer> sizes = new CopyOnWriteArrayList<>();

	UndecodableIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new ShardWorld(client, namespace);
		CustomResourceDefinitions.apply(client, "/crds/widgets.yaml");
	}

	@AfterEach
	void close() throws Exception {
		this.world.client.genericKubernetesResources("test.sharding.dev/v1", "Widget")
			.inNamespace(this.world.namespace)
			.delete();
		this.world.close();
	}

	@Test
	void isNotReconciledInAnOldStateAndLetGoAllTheSame() {
		ResourceCache<SizedWidget> cache = running();
		create("a", 3);
		ShardWorld.soon().until(() -> this.sizes.contains(3));
		edit("a", "enormous", Map.of());
		ShardWorld.soon()
			.untilAsserted(() -> assertThatExceptionOfType(UndecodableException.class)
				.isThrownBy(() -> cache.get(this.world.namespace, "a"))
				.withMessageContaining(this.world.namespace + "/a")
				.withMessageNotContaining("enormous"));
		edit("a", "enormous", Map.of(ShardingLabels.drain(this.world.ring), "true"));
		ShardWorld.soon().until(() -> !hasShardingLabels("a"));
		assertThat(this.sizes).containsOnly(3);
	}

	@Test
	void isReconciledAsSoonAsItFits() {
		ResourceCache<SizedWidget> cache = running();
		create("b", "enormous");
		ShardWorld.soon()
			.untilAsserted(() -> assertThatExceptionOfType(UndecodableException.class)
				.isThrownBy(() -> cache.get(this.world.namespace, "b")));
		assertThatExceptionOfType(UndecodableException.class)
			.isThrownBy(() -> cache.get(new ObjectKey(this.world.namespace, "b"), Freshness.CONSISTENT));
		edit("b", 4, Map.of());
		ShardWorld.soon().until(() -> this.sizes.contains(4));
		assertThat(cache.get(this.world.namespace, "b")).isPresent();
	}

	@Test
	void consistentListsDoNotShowAnOldStateOfIt() {
		ResourceCache<SizedWidget> cache = running();
		create("c", 5);
		create("d", 6);
		ShardWorld.soon().until(() -> this.sizes.contains(5) && this.sizes.contains(6));
		edit("c", "enormous", Map.of("odd", "yes"));
		ListOptions latest = ListOptions.all().freshness(Freshness.CONSISTENT);
		assertRefused(() -> cache.list(latest));
		assertRefused(() -> cache.list(latest.inNamespace(this.world.namespace)));
		assertRefused(() -> cache.list(latest.withLabels(Map.of("odd", "yes"))));
		assertRefused(() -> cache.list(ListOptions.all()
			.resourceVersion(widget("c").get().getMetadata().getResourceVersion(), VersionMatch.EXACT)));
		assertThat(cache.list(latest.withLabels(Map.of("odd", "no")))).isEmpty();
		assertThat(cache.list()).extracting((widget) -> widget.getSpec().size).containsExactlyInAnyOrder(5, 6);
		edit("c", 7, Map.of());
		assertThat(cache.list(latest)).extracting((widget) -> widget.getSpec().size).containsExactlyInAnyOrder(7, 6);
	}

	@Test
	void consistentListsLeaveItOutWhereItsOldStateWas() {
		ResourceCache<SizedWidget> cache = running();
		create("c", 5);
		edit("c", 8, Map.of("odd", "no"));
		ShardWorld.soon().until(() -> this.sizes.contains(8));
		edit("c", "enormous", Map.of("odd", "yes"));
		ListOptions latest = ListOptions.all().freshness(Freshness.CONSISTENT);
		assertRefused(() -> cache.list(latest.withLabels(Map.of("odd", "yes"))));
		assertThat(cache.list(latest.withLabels(Map.of("odd", "no")))).isEmpty();
		assertThat(cache.list(ListOptions.all().withLabels(Map.of("odd", "no")))).hasSize(1);
	}

	private void assertRefused(ThrowingCallable read) {
		assertThatExceptionOfType(UndecodableException.class).isThrownBy(read)
			.withMessageContaining(this.world.namespace + "/c");
	}

	private ResourceCache<SizedWidget> running() {
		Shard shard = this.world.shard("s1");
		shard.add(ControllerSpec.of(WIDGETS, (SizedWidget widget) -> {
			this.sizes.add(widget.getSpec().size);
			return Result.done();
		}).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		return shard.caches().of(WIDGETS);
	}

	private void create(String name, Object size) {
		this.world.client
			.resource(new GenericKubernetesResourceBuilder().withApiVersion("test.sharding.dev/v1")
				.withKind("Widget")
				.withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName(name)
				.withLabels(this.world.assigned("s1"))
				.endMetadata()
				.addToAdditionalProperties("spec", Map.of("size", size))
				.build())
			.create();
	}

	private void edit(String name, Object size, Map<String, String> labels) {
		widget(name).edit((widget) -> {
			widget.getMetadata().getLabels().putAll(labels);
			widget.setAdditionalProperty("spec", Map.of("size", size));
			return widget;
		});
	}

	private boolean hasShardingLabels(String name) {
		return widget(name).get().getMetadata().getLabels().keySet().stream().anyMatch(ShardingLabels::isSharding);
	}

	private Resource<GenericKubernetesResource> widget(String name) {
		return this.world.client.genericKubernetesResources("test.sharding.dev/v1", "Widget")
			.inNamespace(this.world.namespace)
			.withName(name);
	}

}
