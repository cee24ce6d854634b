package dev.sharding.benchmarks.runtime;

import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.rest.http.Kubeconfig;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.Shard;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * The checksum controller on our runtime without Spring, as the only shard of its ring:
 * what the operator beside it does, with a Lease on top.
 */
public final class ChecksumShard implements Reconciler<Secret> {

	private final ResourceCache<ConfigMap> configMaps;

	private ChecksumShard(ResourceCache<ConfigMap> configMaps) {
		this.configMaps = configMaps;
	}

	/**
	 * Runs until it is killed. Arguments: ring, shard, and the namespace of Secrets and
	 * Lease.
	 */
	public static void main(String[] args) throws InterruptedException {
		KubernetesClient client = Kubeconfig.newBuilder().build();
		Shard shard = new Shard(client, LeaseClients.create(client, RenewalTimings.DEFAULTS), args[0],
				LeaseHolderConfig.shard(args[2], args[0], args[1], RenewalTimings.DEFAULTS),
				RuntimeOptions.DEFAULTS.withNamespaces(Set.of(args[2])));
		shard
			.add(ControllerSpec.of(ResourceType.of(Secret.class), new ChecksumShard(shard.caches().of(ConfigMap.class)))
				.owns(ResourceType.of(ConfigMap.class))
				.build());
		shard.start();
		Thread.currentThread().join();
	}

	@Override
	public Result reconcile(Secret secret) {
		Map<String, String> checksums = checksums(secret);
		String name = "checksums-" + secret.getMetadata().getName();
		Optional<ConfigMap> existing = this.configMaps.get(secret.getMetadata().getNamespace(), name);
		if (existing.isEmpty()) {
			this.configMaps.create(configMap(secret, name, checksums));
		}
		else if (!checksums.equals(existing.get().getData())) {
			this.configMaps.update(withData(existing.get(), checksums));
		}
		return Result.done();
	}

	static Map<String, String> checksums(Secret secret) {
		Map<String, String> checksums = new TreeMap<>();
		secret.getData().forEach((key, value) -> checksums.put(key, Results.sha256(Base64.getDecoder().decode(value))));
		return checksums;
	}

	static ConfigMap withData(ConfigMap existing, Map<String, String> checksums) {
		return new ConfigMapBuilder(existing).withData(checksums).build();
	}

	static ConfigMap configMap(Secret secret, String name, Map<String, String> checksums) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName(name)
			.withNamespace(secret.getMetadata().getNamespace())
			.addToLabels("secret", secret.getMetadata().getName())
			.addNewOwnerReference()
			.withApiVersion("v1")
			.withKind("Secret")
			.withName(secret.getMetadata().getName())
			.withUid(secret.getMetadata().getUid())
			.withController(true)
			.endOwnerReference()
			.endMetadata()
			.withData(checksums)
			.build();
	}

}
