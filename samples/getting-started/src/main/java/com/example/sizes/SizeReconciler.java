package com.example.sizes;

import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import dev.sharding.autoconfigure.ShardedController;
import dev.sharding.kubernetes.cache.ResourceCache;
import dev.sharding.kubernetes.reconcile.Reconciler;
import dev.sharding.kubernetes.reconcile.Result;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;

/** Keeps a ConfigMap with the sizes of every Secret's values. */
@ShardedController(owns = ConfigMap.class)
class SizeReconciler implements Reconciler<Secret> {

	private final ResourceCache<ConfigMap> configMaps;

	SizeReconciler(ResourceCache<ConfigMap> configMaps) {
		this.configMaps = configMaps;
	}

	@Override
	public Result reconcile(Secret secret) {
		ConfigMap wanted = sizesOf(secret);
		Optional<ConfigMap> existing = this.configMaps.get(wanted.getMetadata().getNamespace(),
				wanted.getMetadata().getName());
		if (existing.isEmpty()) {
			this.configMaps.create(wanted);
		}
		else if (!existing.get().getData().equals(wanted.getData())) {
			this.configMaps.patch(existing.get(), (configMap) -> {
				configMap.setData(wanted.getData());
				return configMap;
			});
		}
		return Result.done();
	}

	private static ConfigMap sizesOf(Secret secret) {
		Map<String, String> sizes = new TreeMap<>();
		secret.getData().forEach((key, value) -> sizes.put(key, Base64.getDecoder().decode(value).length + " bytes"));
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(secret.getMetadata().getNamespace())
			.withName("sizes-" + secret.getMetadata().getName())
			.addNewOwnerReference()
			.withApiVersion("v1")
			.withKind("Secret")
			.withName(secret.getMetadata().getName())
			.withUid(secret.getMetadata().getUid())
			.withController(true)
			.endOwnerReference()
			.endMetadata()
			.withData(sizes)
			.build();
	}

}
