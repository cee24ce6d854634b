package dev.sharding.benchmarks.newobject;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.handover.HandOverOptions;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.Access;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * A shard that makes a ConfigMap for each Secret, and knows when it first did so.
 */
final class CreatingShard implements AutoCloseable {

	static final String NAME = "shard-a";

	private final Map<String, Long> reconciled = new ConcurrentHashMap<>();

	private final KubernetesClient client;

	private final KubernetesClient leases;

	private final Shard shard;

	CreatingShard(Access user, Access admin, String ring, String namespace, boolean check) {
		RenewalTimings timings = RenewalTimings.of(Duration.ofSeconds(15), null, null);
		this.client = user.client();
		this.leases = LeaseClients.create(admin.config(), timings);
		this.shard = new Shard(this.client, this.leases, ring, LeaseHolderConfig.shard(namespace, ring, NAME, timings),
				RuntimeOptions.DEFAULTS.withNamespaces(Set.of(namespace))
					.withHandOver(HandOverOptions.DEFAULTS.withTakeOverCheck(check)));
		ResourceCache<ConfigMap> configMaps = this.shard.caches().of(ConfigMap.class);
		this.shard.add(ControllerSpec.<Secret>of(ResourceType.of(Secret.class), (secret) -> {
			this.reconciled.putIfAbsent(secret.getMetadata().getName(), System.nanoTime());
			return reconcile(secret, configMaps);
		}).owns(ResourceType.of(ConfigMap.class)).build());
		this.shard.start();
	}

	private static Result reconcile(Secret secret, ResourceCache<ConfigMap> configMaps) {
		String namespace = secret.getMetadata().getNamespace();
		String name = "of-" + secret.getMetadata().getName();
		if (configMaps.get(namespace, name).isEmpty()) {
			configMaps.create(new ConfigMapBuilder().withNewMetadata()
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
				.build());
		}
		return Result.done();
	}

	boolean isRunning() {
		return this.shard.phase() == RuntimePhase.RUNNING;
	}

	/** When the first reconcile of each Secret began, by the monotonic clock. */
	Map<String, Long> reconciled() {
		return this.reconciled;
	}

	@Override
	public void close() {
		this.shard.close();
		this.leases.close();
		this.client.close();
	}

}
