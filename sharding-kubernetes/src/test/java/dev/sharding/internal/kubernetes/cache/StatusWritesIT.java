package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.NoStatusSubresourceException;
import dev.sharding.cache.ResourceCache;
import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** No write loses a status without a word, be it a subresource or not. */
@ControlPlaneTest
class StatusWritesIT {

	private static final ResourceDefinitionContext WITH_SUBRESOURCE = context("Widget");

	private static final ResourceDefinitionContext WITHOUT = context("Knob");

	private final KubernetesClient client;

	private final String namespace;

	private final InformerCaches caches;

	private ResourceCache<GenericKubernetesResource> widgets;

	private ResourceCache<GenericKubernetesResource> knobs;

	StatusWritesIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
		CustomResourceDefinitions.apply(client, "/crds/widgets.yaml");
		CustomResourceDefinitions.apply(client, "/crds/knobs.yaml");
		this.caches = new InformerCaches(client, new ApiRequests(client),
				new CacheScope(Set.of(namespace), "", "", "cache-test", false),
				new ObjectCopier(client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime);
	}

	@BeforeEach
	void start() {
		this.widgets = this.caches.of(WITH_SUBRESOURCE);
		this.knobs = this.caches.of(WITHOUT);
		this.caches.start();
		assertThat(this.caches.synced()).succeedsWithin(Duration.ofSeconds(60));
	}

	@AfterEach
	void close() {
		this.caches.close();
		this.client.genericKubernetesResources(WITH_SUBRESOURCE).inNamespace(this.namespace).delete();
		this.client.genericKubernetesResources(WITHOUT).inNamespace(this.namespace).delete();
	}

	@Test
	void eachWriteOfAStatusIsSeenAndWritesNothingElse() {
		GenericKubernetesResource made = this.widgets.create(object("w", Map.of("size", 1)));
		GenericKubernetesResource updated = this.widgets.updateStatus(with(made, "status", Map.of("a", "1", "b", "1")));
		agree(updated, Map.of("a", "1", "b", "1"));
		GenericKubernetesResource patched = this.widgets.patchStatus(updated,
				(widget) -> with(widget, "status", Map.of("a", "2")));
		agree(patched, Map.of("a", "2"));
		GenericKubernetesResource wanted = object("w", Map.of("size", 7));
		wanted.getMetadata().setLabels(Map.of("not", "sent"));
		GenericKubernetesResource applied = this.widgets.applyStatus(with(wanted, "status", Map.of("c", "3")));
		agree(applied, Map.of("a", "2", "c", "3"));
		agree(this.widgets.applyStatus(with(wanted, "status", Map.of("d", "4"))), Map.of("a", "2", "d", "4"));
		assertThat(applied.<Integer>get("spec", "size")).isEqualTo(1);
		assertThat(applied.getMetadata().getLabels()).isNullOrEmpty();
		assertThat(this.widgets.patchStatus(applied, UnaryOperator.identity())).isEqualTo(applied);
	}

	@Test
	void aStatusThatWasDecidedOnAnOldStateIsRefused() {
		GenericKubernetesResource old = this.widgets.create(object("w", Map.of("size", 1)));
		this.widgets.patch(old, (widget) -> with(widget, "spec", Map.of("size", 2)));
		assertConflict(() -> this.widgets.updateStatus(with(old, "status", Map.of("a", "1"))));
		assertConflict(() -> this.widgets.patchStatus(old, (widget) -> with(widget, "status", Map.of("a", "1"))));
		GenericKubernetesResource wanted = with(object("w", Map.of()), "status", Map.of("a", "1"));
		wanted.getMetadata().setResourceVersion(old.getMetadata().getResourceVersion());
		assertConflict(() -> this.widgets.applyStatus(wanted));
	}

	@Test
	void aWriteThatWouldLoseItsStatusIsNotSent() {
		GenericKubernetesResource made = this.widgets.create(object("w", Map.of("size", 1)));
		String message = "Failed to %s " + this.namespace + "/w: the status of widgets.v1.test.sharding.dev is a"
				+ " subresource, so that the API server would ignore it here; use %s";
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.widgets.patch(made,
					(widget) -> with(with(widget, "spec", Map.of("size", 2)), "status", Map.of("a", "1"))))
			.withMessage(message, "patch", "patchStatus");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.widgets.apply(with(object("w", Map.of()), "status", Map.of("a", "1"))))
			.withMessage(message, "apply", "applyStatus");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.widgets.patchStatus(made, (widget) -> with(widget, "spec", Map.of("size", 2))))
			.withMessageContaining(this.namespace + "/w: the change is about [spec], and only 'status' is written");
		assertThat(this.widgets.get(this.namespace, "w")).contains(made);
		assertThat(this.widgets.apply(with(object("w", Map.of("size", 3)), "status", Map.of()))
			.<Integer>get("spec", "size")).isEqualTo(3);
	}

	@Test
	void whereItIsNoSubresourceAStatusIsAFieldLikeOthers() {
		GenericKubernetesResource made = this.knobs.create(object("k", Map.of("size", 1)));
		GenericKubernetesResource patched = this.knobs.patch(made,
				(knob) -> with(with(knob, "spec", Map.of("size", 2)), "status", Map.of("a", "1")));
		assertThat(patched.<String>get("status", "a")).isEqualTo("1");
		GenericKubernetesResource applied = this.knobs
			.apply(with(object("k", Map.of("size", 2)), "status", Map.of("b", "2")));
		assertThat(applied.<String>get("status", "b")).isEqualTo("2");
		assertThat(this.knobs.get(this.namespace, "k")).contains(applied);
		assertThatExceptionOfType(NoStatusSubresourceException.class)
			.isThrownBy(() -> this.knobs.patchStatus(applied, (knob) -> with(knob, "status", Map.of("a", "3"))))
			.satisfies((ex) -> assertThat(ex.key()).isEqualTo(ObjectKey.of(applied)));
		assertThat(this.knobs.get(this.namespace, "k")).contains(applied);
	}

	private void agree(GenericKubernetesResource written, Map<String, Object> status) {
		assertThat(written.getAdditionalProperties().get("status")).isEqualTo(status);
		ObjectKey key = ObjectKey.of(written);
		assertThat(this.widgets.get(key, Freshness.READ_YOUR_WRITES)).contains(written);
		assertThat(this.widgets.list(ListOptions.all().inNamespace(this.namespace))).containsExactly(written);
		String live = Objects
			.requireNonNull(this.client.genericKubernetesResources(WITH_SUBRESOURCE)
				.inNamespace(key.namespace())
				.withName(key.name())
				.get())
			.getMetadata()
			.getResourceVersion();
		assertThat(written.getMetadata().getResourceVersion()).isEqualTo(live);
	}

	private static void assertConflict(Runnable write) {
		assertThatExceptionOfType(ApiException.class).isThrownBy(write::run)
			.satisfies((ex) -> assertThat(ex.status()).isEqualTo(409));
	}

	private GenericKubernetesResource object(String name, Map<String, Object> spec) {
		GenericKubernetesResource object = new GenericKubernetesResource();
		object.setMetadata(new ObjectMetaBuilder().withNamespace(this.namespace).withName(name).build());
		object.setAdditionalProperty("spec", spec);
		return object;
	}

	private static GenericKubernetesResource with(GenericKubernetesResource object, String field, Object value) {
		GenericKubernetesResource changed = new GenericKubernetesResource();
		changed.setApiVersion(object.getApiVersion());
		changed.setKind(object.getKind());
		changed.setMetadata(object.getMetadata());
		object.getAdditionalProperties().forEach(changed::setAdditionalProperty);
		changed.setAdditionalProperty(field, value);
		return changed;
	}

	private static ResourceDefinitionContext context(String kind) {
		return new ResourceDefinitionContext.Builder().withGroup("test.sharding.dev")
			.withVersion("v1")
			.withKind(kind)
			.withPlural(kind.toLowerCase(Locale.ROOT) + "s")
			.withNamespaced(true)
			.build();
	}

}
