package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlaneTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A namespace that is being deleted exists until the finalizers in its spec are gone. In
 * its metadata nothing holds it, neither a finalizer nor a grace period. Here nobody
 * removes them, so it stays.
 */
@ControlPlaneTest
class TerminatingNamespaceIT {

	private final KubernetesClient client;

	private final InformerCaches caches;

	TerminatingNamespaceIT(KubernetesClient client) {
		this.client = client;
		this.caches = new InformerCaches(client, new ApiRequests(client),
				new CacheScope(Set.of(), "", "", "cache-test", false),
				new ObjectCopier(client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime);
	}

	private <T extends HasMetadata> ResourceCache<T> cache(ResourceType<T> type) {
		ResourceCache<T> cache = this.caches.of(type);
		this.caches.start();
		assertThat(this.caches.synced()).succeedsWithin(Duration.ofSeconds(60));
		return cache;
	}

	@AfterEach
	void close() {
		this.caches.close();
	}

	@Test
	void isSeenAfterAConsistentRead() {
		ResourceCache<Namespace> cache = cache(ResourceType.of(Namespace.class));
		ObjectKey key = create("terminating-read");
		this.client.namespaces().withName(key.name()).delete();
		Awaitility.await()
			.atMost(Duration.ofSeconds(90))
			.until(() -> cache.get(key, Freshness.ANY).filter(this::isEnding).isPresent());
		assertThat(cache.get(key, Freshness.CONSISTENT)).as("the answer").isPresent();
		assertSeen(cache, key);
	}

	@Test
	void isSeenAfterOwnWrites() {
		ResourceCache<Namespace> cache = cache(ResourceType.of(Namespace.class));
		ObjectKey key = create("terminating-write");
		Namespace read = cache.get(key, Freshness.CONSISTENT).orElseThrow();
		cache.delete(read);
		assertThat(cache.get(key, Freshness.READ_YOUR_WRITES))
			.hasValueSatisfying((ending) -> assertThat(ending.getMetadata().getDeletionTimestamp()).isNotNull());
		assertSeen(cache, key);
		cache.patch(cache.get(key, Freshness.CONSISTENT).orElseThrow(), (namespace) -> {
			namespace.getMetadata().setAnnotations(Map.of("patched", "true"));
			return namespace;
		});
		assertSeen(cache, key);
	}

	@Test
	void isSeenWithoutAClass() {
		ResourceCache<GenericKubernetesResource> cache = cache(
				ResourceType.of(new ResourceDefinitionContext.Builder().withVersion("v1")
					.withKind("Namespace")
					.withPlural("namespaces")
					.build()));
		ObjectKey key = create("terminating-generic");
		cache.delete(cache.get(key, Freshness.CONSISTENT).orElseThrow());
		assertSeen(cache, key);
		assertThat(cache.get(key, Freshness.CONSISTENT)).as("the answer").isPresent();
		assertSeen(cache, key);
	}

	private static <T extends HasMetadata> void assertSeen(ResourceCache<T> cache, ObjectKey key) {
		assertThat(cache.get(key, Freshness.READ_YOUR_WRITES)).as("read later").isPresent();
		assertThat(cache.list(ListOptions.all())).extracting(ObjectKey::of).as("listed").contains(key);
	}

	private boolean isEnding(HasMetadata object) {
		return object.getMetadata().getDeletionTimestamp() != null;
	}

	private ObjectKey create(String name) {
		this.client.resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build()).create();
		return new ObjectKey("", name);
	}

}
