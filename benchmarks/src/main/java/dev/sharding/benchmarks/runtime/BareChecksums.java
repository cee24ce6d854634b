package dev.sharding.benchmarks.runtime;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import dev.sharding.internal.kubernetes.rest.http.Kubeconfig;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;

/**
 * The floor: the work of {@link ChecksumShard} with the Kubernetes client alone. It
 * lists, watches and writes, and has no cache, queue, Lease or fence. It is no controller
 * to copy: it does not try again, and ends with its watch.
 */
public final class BareChecksums {

	private static final int WORKERS = 10;

	private final KubernetesClient client;

	private final Map<String, Secret> secrets = new ConcurrentHashMap<>();

	private final Map<String, ConfigMap> configMaps = new ConcurrentHashMap<>();

	/* One write at a time for each. */
	private final Set<String> waiting = ConcurrentHashMap.newKeySet();

	private final Set<String> working = ConcurrentHashMap.newKeySet();

	private final ExecutorService workers = Executors.newFixedThreadPool(WORKERS);

	private BareChecksums(KubernetesClient client) {
		this.client = client;
	}

	/** Runs until it is killed. Argument: the namespace of the Secrets. */
	public static void main(String[] args) throws InterruptedException {
		KubernetesClient client = Kubeconfig.newBuilder().build();
		BareChecksums checksums = new BareChecksums(client);
		String maps = checksums.list(client.configMaps(), args[0], checksums.configMaps);
		String secrets = checksums.list(client.secrets(), args[0], checksums.secrets);
		checksums.watch(client.configMaps(), args[0], maps, checksums.configMaps, false);
		checksums.watch(client.secrets(), args[0], secrets, checksums.secrets, true);
		checksums.secrets.keySet().forEach(checksums::add);
		Thread.currentThread().join();
	}

	private <T extends HasMetadata, L extends KubernetesResourceList<T>> String list(MixedOperation<T, L, ?> objects,
			String namespace, Map<String, T> target) {
		L list = objects.inNamespace(namespace).list();
		list.getItems().forEach((object) -> target.put(object.getMetadata().getName(), object));
		return list.getMetadata().getResourceVersion();
	}

	private <T extends HasMetadata, L extends KubernetesResourceList<T>> void watch(MixedOperation<T, L, ?> objects,
			String namespace, String version, Map<String, T> target, boolean isWork) {
		objects.inNamespace(namespace)
			.watch(new ListOptionsBuilder().withResourceVersion(version).build(), new Watcher<T>() {
				@Override
				public void eventReceived(Action action, T object) {
					if (action == Action.ADDED || action == Action.MODIFIED) {
						target.put(object.getMetadata().getName(), object);
						if (isWork) {
							add(object.getMetadata().getName());
						}
					}
				}

				@Override
				public void onClose(WatcherException cause) {
					System.exit(1);
				}
			});
	}

	private void add(String name) {
		if (this.waiting.add(name)) {
			this.workers.execute(() -> work(name));
		}
	}

	private void work(String name) {
		if (!this.working.add(name)) {
			this.workers.execute(() -> work(name));
			return;
		}
		try {
			this.waiting.remove(name);
			Secret secret = Objects.requireNonNull(this.secrets.get(name), name);
			String target = "checksums-" + name;
			ConfigMap existing = this.configMaps.get(target);
			Map<String, String> checksums = ChecksumShard.checksums(secret);
			if (existing == null) {
				this.configMaps.put(target,
						this.client.resource(ChecksumShard.configMap(secret, target, checksums)).create());
			}
			else if (!checksums.equals(existing.getData())) {
				this.configMaps.put(target, this.client.resource(ChecksumShard.withData(existing, checksums)).update());
			}
		}
		finally {
			this.working.remove(name);
		}
	}

}
