package dev.sharding.autoconfigure;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several controllers of several rings in one application: each has its own objects, and
 * the Lease of one ring is nothing to the other. The test assigns the objects.
 */
@ControlPlaneTest
class SeveralRingsIT {

	private static final String NEAR = ShardingLabels.shard("near");

	private static final String FAR = ShardingLabels.shard("far");

	private final World world;

	SeveralRingsIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = World.withRings(controlPlane, client, namespace);
	}

	@Test
	void eachControllerHasTheObjectsOfItsRing() {
		this.world.secret("a", Map.of(NEAR, "near-1", FAR, "another"));
		this.world.secret("b", Map.of(FAR, "near-1-far"));
		this.world.secret("both", Map.of(NEAR, "near-1", FAR, "near-1-far"));
		this.world.client()
			.resource(new ServiceAccountBuilder().withNewMetadata()
				.withNamespace(this.world.namespace())
				.withName("account")
				.addToLabels(NEAR, "near-1")
				.endMetadata()
				.build())
			.create();
		this.world.shard("near", this.world.client())
			.withUserConfiguration(NearSecrets.class, NearAccounts.class, FarSecrets.class)
			.withPropertyValues("sharding.definition.apply=true", "sharding.rings.far.definition.apply=true")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				Shard near = context.getBean("shard", Shard.class);
				Shard far = context.getBean("farShard", Shard.class);
				World.soon().untilAsserted(() -> {
					assertThat(context.getBean(NearSecrets.class).seen).containsExactlyInAnyOrder("a", "both");
					assertThat(context.getBean(NearAccounts.class).seen).containsExactly("account");
					assertThat(context.getBean(FarSecrets.class).seen).containsExactlyInAnyOrder("b", "both");
				});
				// What is in no memory can be reconciled by nobody.
				assertThat(names(near, Secret.class)).containsExactlyInAnyOrder("a", "both");
				assertThat(names(far, Secret.class)).containsExactlyInAnyOrder("b", "both");
				assertThat(names(near, ConfigMap.class)).containsExactlyInAnyOrder("near-a", "near-both");
				assertThat(names(far, ConfigMap.class)).containsExactlyInAnyOrder("far-b", "far-both");
				assertThat(labels("near-both")).containsEntry(NEAR, "near-1").doesNotContainKey(FAR);
				assertThat(labels("far-both")).containsEntry(FAR, "near-1-far").doesNotContainKey(NEAR);
				takeLease("near-1-far");
				World.soon().until(() -> far.phase() == RuntimePhase.ACQUIRING);
				this.world.secret("late", Map.of(NEAR, "near-1"));
				World.soon().until(() -> context.getBean(NearSecrets.class).seen.contains("late"));
				assertThat(near.phase()).isEqualTo(RuntimePhase.RUNNING);
			});
		assertThat(this.world.holder("near-1")).isEmpty();
	}

	private void takeLease(String name) {
		this.world.client()
			.leases()
			.inNamespace(this.world.namespace())
			.withName(name)
			.patch(PatchContext.of(PatchType.JSON_MERGE),
					"{\"spec\":{\"holderIdentity\":\"somebody-else\",\"leaseDurationSeconds\":3600}}");
	}

	private Map<String, String> labels(String configMap) {
		return this.world.client()
			.configMaps()
			.inNamespace(this.world.namespace())
			.withName(configMap)
			.get()
			.getMetadata()
			.getLabels();
	}

	private static Set<String> names(Shard shard, Class<? extends HasMetadata> type) {
		return shard.caches()
			.of(type)
			.list()
			.stream()
			.map((object) -> object.getMetadata().getName())
			.collect(Collectors.toSet());
	}

	@ShardedController(owns = ConfigMap.class)
	static class NearSecrets implements Reconciler<Secret> {

		private final Set<String> seen = ConcurrentHashMap.newKeySet();

		private final ResourceCache<ConfigMap> configMaps;

		NearSecrets(ResourceCache<ConfigMap> configMaps) {
			this.configMaps = configMaps;
		}

		@Override
		public Result reconcile(Secret secret) {
			World.copy(this.configMaps, "near-", secret);
			this.seen.add(secret.getMetadata().getName());
			return Result.done();
		}

	}

	@ShardedController
	static class NearAccounts implements Reconciler<ServiceAccount> {

		private final Set<String> seen = ConcurrentHashMap.newKeySet();

		@Override
		public Result reconcile(ServiceAccount account) {
			this.seen.add(account.getMetadata().getName());
			return Result.done();
		}

	}

	@ShardedController(ring = "far", owns = ConfigMap.class)
	static class FarSecrets implements Reconciler<Secret> {

		private final Set<String> seen = ConcurrentHashMap.newKeySet();

		private final ResourceCache<ConfigMap> configMaps;

		FarSecrets(@Qualifier("far") ResourceCache<ConfigMap> configMaps) {
			this.configMaps = configMaps;
		}

		@Override
		public Result reconcile(Secret secret) {
			World.copy(this.configMaps, "far-", secret);
			this.seen.add(secret.getMetadata().getName());
			return Result.done();
		}

	}

}
