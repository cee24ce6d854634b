package ${package};

import java.time.Instant;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.Conditions;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;

/** Keeps a ConfigMap for each ${kind}, and says so in its status. */
@ShardedController(owns = ConfigMap.class)
class ${kind}Reconciler implements Reconciler<${kind}> {

	private final ResourceCache<${kind}> ${plural};

	private final ResourceCache<ConfigMap> configMaps;

	${kind}Reconciler(ResourceCache<${kind}> ${plural}, ResourceCache<ConfigMap> configMaps) {
		this.${plural} = ${plural};
		this.configMaps = configMaps;
	}

	@Override
	public Result reconcile(${kind} resource) {
		this.configMaps.ensure(resource, new ConfigMapBuilder().withNewMetadata()
			.withName(resource.getMetadata().getName())
			.endMetadata()
			.addToData("text", resource.getSpec().text)
			.build());
		${kind}Status status = (resource.getStatus() != null) ? resource.getStatus() : new ${kind}Status();
		status.conditions = Conditions.set(status.conditions,
				Conditions.of(resource, "Ready", true, "Written", "The ConfigMap is there"), Instant.now());
		resource.setStatus(status);
		this.${plural}.ensureStatus(resource);
		return Result.done();
	}

}
