package dev.sharding.test.spring;

import java.util.Map;
import java.util.concurrent.Phaser;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.shard.Shard;

/**
 * Notes in a ConfigMap which shard has reconciled a Secret, as long as nobody holds it
 * up.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
class CopyApplication {

	/** Reconciles of Secrets named "slow" wait until the test says. */
	static final Phaser SLOW = new Phaser(1);

	@Bean
	@ShardedController(owns = ConfigMap.class)
	Reconciler<Secret> copier(ResourceCache<ConfigMap> configMaps, Shard shard) {
		return (secret) -> {
			if (secret.getMetadata().getName().equals("slow")) {
				SLOW.register();
				SLOW.arriveAndAwaitAdvance();
				SLOW.arriveAndDeregister();
			}
			ConfigMap note = note(secret, shard.name());
			configMaps.get(note.getMetadata().getNamespace(), note.getMetadata().getName())
				.ifPresentOrElse((found) -> configMaps.patch(found, (changed) -> {
					changed.setData(note.getData());
					return changed;
				}), () -> configMaps.create(note));
			return Result.done();
		};
	}

	/** What is written for a Secret. */
	static ConfigMap note(Secret secret, String shard) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(secret.getMetadata().getNamespace())
			.withName(secret.getMetadata().getName())
			.addNewOwnerReference()
			.withApiVersion("v1")
			.withKind("Secret")
			.withName(secret.getMetadata().getName())
			.withUid(secret.getMetadata().getUid())
			.withController(true)
			.endOwnerReference()
			.endMetadata()
			.withData(Map.of("shard", shard))
			.build();
	}

}
