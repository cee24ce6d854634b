package dev.sharding.internal.kubernetes.cache;

import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.micrometer.core.instrument.MeterRegistry;

import dev.sharding.cache.CacheNotFilledException;
import dev.sharding.cache.Freshness;
import dev.sharding.internal.kubernetes.cache.check.ReadMeters;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadSampler;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.overlay.RetriedQuestions;
import dev.sharding.internal.kubernetes.cache.read.BarrierSource;
import dev.sharding.internal.kubernetes.cache.read.CacheLists;
import dev.sharding.internal.kubernetes.cache.read.ConsistentReads;
import dev.sharding.internal.kubernetes.cache.read.FirstList;
import dev.sharding.internal.kubernetes.cache.read.ConsistentReadSource;
import dev.sharding.internal.kubernetes.cache.read.ConsistentReadSources;
import dev.sharding.internal.kubernetes.cache.read.LiveSource;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies;
import dev.sharding.internal.kubernetes.cache.read.ResourceReader;
import dev.sharding.internal.kubernetes.cache.read.ServerQuestions;
import dev.sharding.internal.kubernetes.cache.read.ValidatedSource;
import dev.sharding.internal.kubernetes.cache.read.VersionedLists;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Makes the cache of a resource: its writes, its stamp, and the way of its consistent
 * reads.
 */
final class CacheFactory {

	private final KubernetesClient client;

	private final ApiRequests requests;

	private final Supplier<CacheScope> scope;

	private final ObjectCopier copier;

	private final LongSupplier nanos;

	private final ReadOptions reads;

	private final ReadStrategies strategies;

	private final ReadSampler sampler;

	private final MeterRegistry meters;

	CacheFactory(KubernetesClient client, ApiRequests requests, Supplier<CacheScope> scope, ObjectCopier copier,
			LongSupplier nanos, ReadOptions reads, ReadSampler sampler, MeterRegistry meters) {
		this.client = client;
		this.requests = requests;
		this.scope = scope;
		this.copier = copier;
		this.nanos = nanos;
		this.reads = reads;
		this.sampler = sampler;
		this.strategies = new ReadStrategies(reads);
		this.meters = meters;
	}

	/**
	 * Makes a cache.
	 * @param lookup finds its store
	 * @param ours whether a new object belongs to an object of this shard
	 */
	<T extends HasMetadata> InformerCache<T> make(ResourceType<T> type, StoreLookup<T> lookup,
			Predicate<HasMetadata> ours) {
		KubernetesSerialization serialization = this.client.getKubernetesSerialization();
		ResourceWriter<T> writer = new ResourceWriter<>(type, this.requests, serialization,
				this.scope.get().fieldManager(), lookup);
		ShardingStamp stamp = this.scope.get().ring().isEmpty() ? ShardingStamp.NONE
				: new ShardingStamp(this.scope.get().ring(), () -> this.scope.get().shard(), ours);
		ResourceReader<T> reader = new ResourceReader<>(type, this.requests, serialization);
		ConsistentReadSources<T> sources = new ConsistentReadSources<>(
				(watermark) -> this.strategies.of(type, watermark),
				(strategy) -> (store) -> source(strategy, store, reader));
		this.strategies.add(type, () -> {
			OverlaidStore<T> store = lookup.find();
			return (store != null) ? store.watermark() : null;
		});
		ConsistentReads<T> consistent = new ConsistentReads<>(type, reader, sources,
				new ReadMeters(this.meters, type.toString()), this.nanos, this.sampler);
		CacheLists<T> lists = new CacheLists<>(type, consistent, new VersionedLists<>(type, reader, this.nanos),
				this.copier);
		return new InformerCache<>(type, lookup, writer, this.copier, stamp, consistent, lists,
				new StatusSubresource(type, this.requests, serialization, this.nanos));
	}

	/**
	 * A store that knows whether there is an object.
	 * @throws CacheNotFilledException if it was never filled
	 */
	<T extends HasMetadata> OverlaidStore<T> filled(OverlaidStore<T> store, ObjectKey key) {
		ResourceType<T> type = store.informer().spec().type();
		new FirstList(type, this.nanos, new ReadMeters(this.meters, type.toString())).await(store.informer(),
				key.namespace(), Freshness.READ_YOUR_WRITES);
		return store;
	}

	ReadStrategies strategies() {
		return this.strategies;
	}

	/** Looks whether the API server can do what consistent reads need. */
	ReadSafeguard safeguard() {
		KubernetesSerialization serialization = this.client.getKubernetesSerialization();
		ApiRequests unfenced = this.requests.unguarded();
		return new ReadSafeguard(this.reads,
				() -> unfenced.send(ApiRequest.of("GET", "/version"))
					.thenApply((answer) -> serialization.unmarshal(answer.stream(), Map.class)),
				(type) -> new ServerQuestions<>(type, somewhere(type), null, new RetriedQuestions(unfenced)::send,
						serialization)
					.version());
	}

	/** Where the application may list: rights often end with the scope. */
	private String somewhere(ResourceType<?> type) {
		return type.namespaced() ? this.scope.get().namespaces().stream().findFirst().orElse("") : "";
	}

	private <T extends HasMetadata> ConsistentReadSource<T> source(ReadStrategy strategy, OverlaidStore<T> store,
			ResourceReader<T> reader) {
		return switch (strategy) {
			case VALIDATED -> new ValidatedSource<>(store);
			case BARRIER -> new BarrierSource<>(store, this.requests.unguarded(),
					this.client.getKubernetesSerialization(), this.scope.get(), this.reads.markerNamespace());
			case LIVE -> new LiveSource<>(store.informer().spec(), reader);
		};
	}

}
