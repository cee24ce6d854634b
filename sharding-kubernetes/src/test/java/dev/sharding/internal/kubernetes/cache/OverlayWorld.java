package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.ListOptions;
import dev.sharding.internal.core.overlay.OverlayStatus;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Caches whose informers and writes take different ways to the API server, each with its
 * own troubles.
 */
public final class OverlayWorld implements AutoCloseable {

	public static final ResourceType<ConfigMap> CONFIG_MAPS = ResourceType.of(ConfigMap.class);

	final ControlPlane cluster;

	final KubernetesClient client;

	final String namespace;

	final TcpProxy watches;

	final TcpProxy writes;

	final KubernetesClient writing;

	/** Versions of the updates that came back to the writer. */
	final List<String> reachedWriter = new CopyOnWriteArrayList<>();

	private final List<AutoCloseable> open = new ArrayList<>();

	OverlayWorld(ControlPlane cluster, KubernetesClient client, String namespace) {
		this.cluster = cluster;
		this.client = client;
		this.namespace = namespace;
		this.watches = TcpProxy.to(cluster.apiServer());
		this.writes = TcpProxy.to(cluster.apiServer());
		this.writing = cluster.admin().through(this.writes).client();
		this.open.add(this.watches);
		this.open.add(this.writes);
	}

	@Override
	public void close() throws Exception {
		for (int i = this.open.size() - 1; i >= 0; i--) {
			this.open.get(i).close();
		}
		this.client.configMaps().inNamespace(this.namespace).delete();
	}

	InformerCaches caches() {
		return caches(this.cluster.admin().through(this.watches).client(), this.writing);
	}

	InformerCaches caches(KubernetesClient forWatches, KubernetesClient forWrites) {
		InformerCaches caches = unstarted(forWatches, forWrites, "", "");
		caches.index(CONFIG_MAPS, "n", (map) -> List.of(map.getData().get("n")));
		caches.of(ConfigMap.class);
		caches.addHandler(CONFIG_MAPS, false, (event, reaches) -> {
			if (event instanceof InformerEvent.Updated<ConfigMap> updated && reaches.test(writer())) {
				this.reachedWriter.add(updated.after().getMetadata().getResourceVersion());
			}
		});
		caches.start();
		assertThat(caches.synced()).succeedsWithin(Duration.ofSeconds(60));
		return caches;
	}

	InformerCaches unstarted(KubernetesClient forWatches, KubernetesClient forWrites, String ring, String shard) {
		InformerCaches caches = new InformerCaches(forWatches, new ApiRequests(forWrites),
				new CacheScope(Set.of(this.namespace), ring, shard, "cache-test", false),
				new ObjectCopier(forWatches.getKubernetesSerialization()), InstantSource.system(), System::nanoTime);
		this.open.add(caches);
		return caches;
	}

	/** Sends a write of which the API server learns, and its sender nothing yet. */
	CompletableFuture<Void> inFlight(Runnable write, Callable<Boolean> happened) {
		soon().ignoreExceptions().until(this::connect);
		this.writes.pauseResponses();
		CompletableFuture<Void> sent = CompletableFuture.runAsync(write);
		soon().until(happened);
		return sent;
	}

	/*
	 * A new connection could not even be greeted once answers are held back, and one
	 * alone may be taken by a question of the overlay.
	 */
	private boolean connect() {
		ApiRequests requests = new ApiRequests(this.writing);
		List<CompletableFuture<ApiResponse>> answers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			answers.add(requests.send(ApiRequest.of("GET", "/version")));
		}
		answers.forEach(CompletableFuture::join);
		return true;
	}

	/** A later write tells at once what deletes would otherwise be asked about. */
	void comesToRest(InformerCaches caches) {
		soon().ignoreExceptions().until(this::connect);
		caches.of(ConfigMap.class).create(configMap("end", "end"));
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.pollInterval(Duration.ofMillis(100))
			.until(() -> caches.overlayStatuses().values().stream().allMatch(OverlayStatus::isEmpty));
	}

	static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(20));
	}

	Writer writer() {
		return new Writer("test", new ObjectKey(this.namespace, "writer"));
	}

	ConfigMap onServer(String name) {
		return this.client.configMaps().inNamespace(this.namespace).withName(name).get();
	}

	ListOptions here() {
		return ListOptions.all().inNamespace(this.namespace);
	}

	static ConfigMap changed(ConfigMap map, String n) {
		return new ConfigMapBuilder(map).addToData("n", n).build();
	}

	ConfigMap configMap(String name, String n) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName(name)
			.withNamespace(this.namespace)
			.endMetadata()
			.addToData("n", n)
			.build();
	}

}
