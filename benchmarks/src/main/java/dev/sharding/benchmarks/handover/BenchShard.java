package dev.sharding.benchmarks.handover;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.TcpProxy;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * A shard that keeps a ConfigMap for each of its Secrets. It has the API server to itself
 * as if it was a process of its own: over connections that can be cut.
 */
final class BenchShard implements AutoCloseable {

	/** What the names of ConfigMaps begin with, before that of their Secret. */
	static final String PREFIX = "of-";

	private final String name;

	private final TcpProxy network;

	private final Shard shard;

	private BenchShard(String name, TcpProxy network, Shard shard) {
		this.name = name;
		this.network = network;
		this.shard = shard;
	}

	static BenchShard start(ControlPlane controlPlane, String ring, String namespace, String name, Duration lease) {
		RenewalTimings timings = RenewalTimings.of(lease, null, null);
		TcpProxy network = TcpProxy.to(controlPlane.apiServer());
		KubernetesClient client = controlPlane.admin().through(network).client();
		Shard shard = new Shard(client, LeaseClients.create(client.getConfiguration(), timings), ring,
				LeaseHolderConfig.shard(namespace, ring, name, timings),
				RuntimeOptions.DEFAULTS.withNamespaces(Set.of(namespace)));
		ResourceCache<ConfigMap> configMaps = shard.caches().of(ConfigMap.class);
		shard.add(ControllerSpec.<Secret>of(ResourceType.of(Secret.class), (secret) -> reconcile(secret, configMaps))
			.owns(ResourceType.of(ConfigMap.class))
			.build());
		shard.start();
		return new BenchShard(name, network, shard);
	}

	private static Result reconcile(Secret secret, ResourceCache<ConfigMap> configMaps) {
		String namespace = secret.getMetadata().getNamespace();
		String name = PREFIX + secret.getMetadata().getName();
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
				.withData(Map.of("from", secret.getMetadata().getName()))
				.build());
		}
		return Result.done();
	}

	String name() {
		return this.name;
	}

	boolean isRunning() {
		return this.shard.phase() == RuntimePhase.RUNNING;
	}

	/** As seen by everybody else it is gone from one moment to the next. */
	void crash() {
		this.network.blackHole();
	}

	/** Stops gracefully. */
	void stop() {
		this.shard.close();
	}

	@Override
	public void close() {
		this.network.heal();
		this.shard.close();
		this.network.close();
	}

}
