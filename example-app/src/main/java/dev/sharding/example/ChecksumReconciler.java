package dev.sharding.example;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.shard.Shard;

/**
 * Keeps a ConfigMap with the checksums of every Secret's values.
 */
@ShardedController(owns = ConfigMap.class)
class ChecksumReconciler implements Reconciler<Secret> {

	private final ResourceCache<ConfigMap> configMaps;

	/** Nothing if {@code sharding.enabled} is {@code false}. */
	private final ObjectProvider<Shard> shard;

	private final boolean stamp;

	ChecksumReconciler(ResourceCache<ConfigMap> configMaps, ObjectProvider<Shard> shard,
			@Value("${checksums.stamp:false}") boolean stamp) {
		this.configMaps = configMaps;
		this.shard = shard;
		this.stamp = stamp;
	}

	@Override
	public Result reconcile(Secret secret) {
		ConfigMap wanted = wanted(secret);
		Optional<ConfigMap> existing = this.configMaps.get(wanted.getMetadata().getNamespace(),
				wanted.getMetadata().getName());
		if (existing.isEmpty()) {
			this.configMaps.create(wanted);
		}
		else if (differs(existing.get(), wanted)) {
			this.configMaps.update(new ConfigMapBuilder(existing.get()).withData(wanted.getData())
				.withBinaryData(Map.of())
				.editMetadata()
				.withLabels(wanted.getMetadata().getLabels())
				.addToAnnotations(wanted.getMetadata().getAnnotations())
				.withOwnerReferences(wanted.getMetadata().getOwnerReferences())
				.endMetadata()
				.build());
		}
		return Result.done();
	}

	private ConfigMap wanted(Secret secret) {
		Map<String, String> labels = withoutSharding(secret.getMetadata().getLabels());
		labels.put("secret", Names.labelValue(secret.getMetadata().getName()));
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(secret.getMetadata().getNamespace())
			.withName(Names.objectName("checksums-" + secret.getMetadata().getName()))
			.withLabels(labels)
			.withAnnotations(stamps(secret))
			.addNewOwnerReference()
			.withApiVersion("v1")
			.withKind("Secret")
			.withName(secret.getMetadata().getName())
			.withUid(secret.getMetadata().getUid())
			.withController(true)
			.endOwnerReference()
			.endMetadata()
			.withData(Checksums.of(secret))
			.build();
	}

	private static boolean differs(ConfigMap existing, ConfigMap wanted) {
		Map<String, String> annotations = existing.getMetadata().getAnnotations();
		return !existing.getData().equals(wanted.getData()) || !existing.getBinaryData().isEmpty()
				|| !withoutSharding(existing.getMetadata().getLabels()).equals(wanted.getMetadata().getLabels())
				|| !annotations.entrySet().containsAll(wanted.getMetadata().getAnnotations().entrySet())
				|| !existing.getMetadata().getOwnerReferences().equals(wanted.getMetadata().getOwnerReferences());
	}

	private static Map<String, String> withoutSharding(Map<String, String> labels) {
		Map<String, String> own = new HashMap<>(labels);
		own.keySet().removeIf(ShardingLabels::isSharding);
		return own;
	}

	/** Which state was reconciled by whom, for those who want to follow it. */
	private Map<String, String> stamps(Secret secret) {
		return this.stamp
				? Map.of("checksums.example/secret-version", secret.getMetadata().getResourceVersion(),
						"checksums.example/shard", this.shard.stream().map(Shard::name).findFirst().orElse("leader"))
				: Map.of();
	}

}
