package dev.sharding.benchmarks.readafterwrite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import dev.sharding.kubernetes.cache.CacheScope;
import dev.sharding.kubernetes.cache.InformerCaches;
import dev.sharding.kubernetes.cache.ListOptions;
import dev.sharding.kubernetes.cache.ObjectCopier;
import dev.sharding.kubernetes.cache.ResourceCache;
import dev.sharding.kubernetes.informer.StoreView;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiRequests;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Reads of 10,000 objects, through the cache and from the store below it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CacheReads {

	private static final int OBJECTS = 10_000;

	private static final ListOptions SHARED = ListOptions.all().withoutCopying();

	private final ObjectKey[] keys = IntStream.range(0, 4_096)
		.mapToObj((i) -> new ObjectKey("default", SilentApiServer.name(i * 7 % OBJECTS)))
		.toArray(ObjectKey[]::new);

	private final SilentApiServer server;

	private final KubernetesClient client;

	private final InformerCaches caches;

	private final ResourceCache<ConfigMap> cache;

	private final StoreView<ConfigMap> overlaid;

	private final StoreView<ConfigMap> bare;

	private int next;

	public CacheReads() {
		try {
			this.server = new SilentApiServer(OBJECTS);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder().withMasterUrl(this.server.url()).build())
			.build();
		this.caches = new InformerCaches(this.client, new ApiRequests(this.client),
				new CacheScope(Set.of(), "", "", "bench", false),
				new ObjectCopier(this.client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime);
		this.cache = this.caches.of(ConfigMap.class);
		this.caches.start();
		ResourceType<ConfigMap> type = ResourceType.of(ConfigMap.class);
		this.overlaid = this.caches.store(type).get();
		this.bare = this.caches.informer(type, false).store();
	}

	@Setup
	public void awaitObjects() {
		this.caches.synced().orTimeout(60, TimeUnit.SECONDS).join();
		if (this.cache.list(SHARED).size() != OBJECTS || this.bare.list().size() != OBJECTS) {
			throw new IllegalStateException("The store must hold " + OBJECTS + " objects");
		}
	}

	@TearDown
	public void close() {
		this.caches.close();
		this.client.close();
		this.server.close();
	}

	/** The object itself, from the store. */
	@Benchmark
	public @Nullable ConfigMap bareGet() {
		return this.bare.get(nextKey());
	}

	/** The object itself, as one sees it who knows the own writes. */
	@Benchmark
	public @Nullable ConfigMap overlaidGet() {
		return this.overlaid.get(nextKey());
	}

	/** All objects, from the store. */
	@Benchmark
	public List<ConfigMap> bareList() {
		return this.bare.list();
	}

	/** What a reconciler calls that does not modify them. */
	@Benchmark
	public List<ConfigMap> cacheList() {
		return this.cache.list(SHARED);
	}

	private ObjectKey nextKey() {
		this.next = (this.next + 1) & (this.keys.length - 1);
		return this.keys[this.next];
	}

}
