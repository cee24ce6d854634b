package dev.sharding.benchmarks.readafterwrite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
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

	private final ResourceCache<ConfigMap> cache = Filled.CACHES.of(ConfigMap.class);

	private final StoreView<ConfigMap> overlaid = Filled.CACHES.store(Filled.TYPE).get();

	private final StoreView<ConfigMap> bare = Filled.CACHES.informer(Filled.TYPE, false).store();

	private int next;

	@Setup
	public void awaitObjects() {
		Filled.CACHES.synced().orTimeout(60, TimeUnit.SECONDS).join();
		if (this.cache.list(SHARED).size() != OBJECTS || this.bare.list().size() != OBJECTS) {
			throw new IllegalStateException("The store must hold " + OBJECTS + " objects");
		}
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

	/**
	 * One store for all benchmarks: two of them would differ in how they lie in memory,
	 * by more than what is measured.
	 */
	private static final class Filled {

		private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

		private static final InformerCaches CACHES = start();

		private static InformerCaches start() {
			try {
				SilentApiServer server = new SilentApiServer(OBJECTS);
				KubernetesClient client = new KubernetesClientBuilder()
					.withConfig(new ConfigBuilder().withMasterUrl(server.url()).build())
					.build();
				InformerCaches caches = new InformerCaches(client, new ApiRequests(client),
						new CacheScope(Set.of(), "", "", "bench", false),
						new ObjectCopier(client.getKubernetesSerialization()), InstantSource.system(),
						System::nanoTime);
				caches.of(ConfigMap.class);
				caches.start();
				return caches;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
