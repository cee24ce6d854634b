package dev.sharding.internal.kubernetes.cache;

import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.cache.overlay.CacheOverlay;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.overlay.ScopedAccess;
import dev.sharding.internal.kubernetes.cache.read.ControllerOwner;
import dev.sharding.internal.kubernetes.cache.read.ServerQuestions;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;

/**
 * Makes what is below a cache: an informer of the right scope, its indexes, and the own
 * writes laid over it. Used under the lock of {@link InformerCaches}.
 */
final class InformerFactory {

	private final KubernetesClient client;

	private final ApiRequests requests;

	private final Supplier<CacheScope> scope;

	private final InstantSource clock;

	private final LongSupplier nanos;

	private final Map<ResourceType<?>, Map<String, Function<?, Collection<String>>>> indexes = new LinkedHashMap<>();

	/**
	 * Creates it.
	 * @param client lists and watches
	 * @param requests asks the API server how far it is, and about own writes
	 * @param scope what those stores cover that are made now
	 */
	InformerFactory(KubernetesClient client, ApiRequests requests, Supplier<CacheScope> scope, InstantSource clock,
			LongSupplier nanos) {
		this.client = client;
		this.requests = requests;
		this.scope = scope;
		this.clock = clock;
		this.nanos = nanos;
	}

	<T extends HasMetadata> void index(ResourceType<T> type, String name, Function<T, Collection<String>> values) {
		this.indexes.computeIfAbsent(type, (ignored) -> new LinkedHashMap<>()).put(name, values);
	}

	/** A store whose informer has not started. */
	<T extends HasMetadata> OverlaidStore<T> make(ResourceType<T> type, boolean onlyOurs) {
		Informer<T> informer = new Informer<>(this.client, this.requests, spec(type, onlyOurs), InformerFactory::daemon,
				this.clock, this.nanos);
		ScopedAccess<T> access = new ScopedAccess<>(label(onlyOurs), this.scope.get().shard());
		CacheOverlay<T> overlay = new CacheOverlay<>(informer, access, (namespace) -> questions(informer, namespace),
				this.nanos);
		return new OverlaidStore<>(informer, overlay, access);
	}

	private @Nullable String label(boolean onlyOurs) {
		return onlyOurs ? ShardingLabels.shard(this.scope.get().ring()) : null;
	}

	private <T extends HasMetadata> ServerQuestions<T> questions(Informer<T> informer, String namespace) {
		return new ServerQuestions<>(informer.spec().type(), namespace, informer.spec().labelSelector(),
				this.requests::send, this.client.getKubernetesSerialization());
	}

	@SuppressWarnings("unchecked")
	private <T extends HasMetadata> InformerSpec<T> spec(ResourceType<T> type, boolean onlyOurs) {
		CacheScope covered = this.scope.get();
		InformerSpec<T> spec = InformerSpec.of(type)
			.keepManagedFields(covered.keepManagedFields())
			.withIndex(ControllerOwner.INDEX, ControllerOwner::uids);
		if (type.namespaced()) {
			spec = spec.inNamespaces(covered.namespaces());
		}
		if (onlyOurs) {
			spec = spec.withLabelSelector(covered.selector());
		}
		for (Map.Entry<String, Function<?, Collection<String>>> index : this.indexes.getOrDefault(type, Map.of())
			.entrySet()) {
			spec = spec.withIndex(index.getKey(), (Function<T, Collection<String>>) index.getValue());
		}
		return spec;
	}

	private static Thread daemon(Runnable task) {
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		return thread;
	}

}
