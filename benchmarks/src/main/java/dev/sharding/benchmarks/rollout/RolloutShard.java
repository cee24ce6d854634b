package dev.sharding.benchmarks.rollout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import dev.sharding.benchmarks.cluster.Pause;
import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.core.slot.SlotNames;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.rest.http.Kubeconfig;
import dev.sharding.internal.kubernetes.slot.SlotOptions;
import dev.sharding.internal.kubernetes.slot.StandbyStatus;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * A replica whose objects are Secrets, for each of which it keeps a ConfigMap with the
 * same data.
 */
public final class RolloutShard implements Reconciler<Secret> {

	static final String RING = "bench";

	/** Of objects and Leases. */
	static final String NAMESPACE = "bench";

	static final String PREFIX = "of-";

	static final int SLOTS = 6;

	static final Duration GRACE = Duration.ofSeconds(30);

	static final Duration SLOT_WAIT = Duration.ofSeconds(30);

	private static final Duration LOOK_EVERY = Duration.ofMillis(20);

	private final ResourceCache<ConfigMap> configMaps;

	private RolloutShard(ResourceCache<ConfigMap> configMaps) {
		this.configMaps = configMaps;
	}

	/**
	 * Runs until it is asked to stop. Arguments: what shards are named by, the pod, the
	 * hash of its template, and a file to create when the pod is ready.
	 */
	public static void main(String[] args) throws InterruptedException, IOException {
		Shard shard = shard(Naming.valueOf(args[0]), args[1], args[2]);
		shard.add(ControllerSpec.of(ResourceType.of(Secret.class), new RolloutShard(shard.caches().of(ConfigMap.class)))
			.owns(ResourceType.of(ConfigMap.class))
			.build());
		Runtime.getRuntime().addShutdownHook(new Thread(shard::close, "stop"));
		shard.start();
		while (!isReady(shard)) {
			Pause.of(LOOK_EVERY);
		}
		Files.createFile(Path.of(args[3]));
		Thread.currentThread().join();
	}

	private static Shard shard(Naming naming, String pod, String template) {
		RenewalTimings timings = RenewalTimings.DEFAULTS;
		RuntimeOptions options = RuntimeOptions.DEFAULTS.withNamespaces(Set.of(NAMESPACE));
		KubernetesClient client = Kubeconfig.newBuilder().build();
		KubernetesClient leaseClient = LeaseClients.create(client, timings);
		if (naming == Naming.SLOTS) {
			SlotNames names = new SlotNames(SlotNames.defaultPrefix(RING, NAMESPACE), SLOTS);
			return Shard.ofSlots(client, leaseClient,
					new SlotOptions(NAMESPACE, RING, names, timings, UUID.randomUUID().toString(),
							Duration.ofMinutes(10), GRACE, SLOT_WAIT, pod, template, "sharding-system", "sharder"),
					options, null);
		}
		LeaseHolderConfig lease = LeaseHolderConfig.shard(NAMESPACE, RING, pod, timings);
		return new Shard(client, leaseClient, RING,
				(naming == Naming.STATEFUL) ? lease.withGrace(GRACE, pod, template) : lease, options);
	}

	private static boolean isReady(Shard shard) {
		return shard.phase() == RuntimePhase.RUNNING || shard.standby().filter(StandbyStatus::ready).isPresent();
	}

	@Override
	public Result reconcile(Secret secret) {
		String namespace = secret.getMetadata().getNamespace();
		String name = PREFIX + secret.getMetadata().getName();
		Optional<ConfigMap> existing = this.configMaps.get(namespace, name);
		if (existing.isEmpty()) {
			this.configMaps.create(new ConfigMapBuilder().withNewMetadata()
				.withName(name)
				.withNamespace(namespace)
				.addNewOwnerReference()
				.withApiVersion("v1")
				.withKind("Secret")
				.withName(secret.getMetadata().getName())
				.withUid(secret.getMetadata().getUid())
				.withController(true)
				.endOwnerReference()
				.endMetadata()
				.withData(data(secret))
				.build());
		}
		else if (!data(secret).equals(existing.get().getData())) {
			this.configMaps.update(new ConfigMapBuilder(existing.get()).withData(data(secret)).build());
		}
		return Result.done();
	}

	private static Map<String, String> data(Secret secret) {
		return Map.copyOf(secret.getData());
	}

}
