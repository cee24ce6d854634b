package dev.sharding.shard;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.overlay.OverlayStatus;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whom the event of an own write starts: every reconcile but the one that wrote.
 */
@ControlPlaneTest
class OwnWritesIT {

	private final ShardWorld world;

	private final List<String> runs = new CopyOnWriteArrayList<>();

	OwnWritesIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new ShardWorld(client, namespace).patient();
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
	}

	@Test
	void anUpdateOfTheObjectItselfDoesNotComeBackAndAForeignOneDoes() {
		Shard shard = started((caches) -> (secret) -> {
			this.runs.add(secret.getMetadata().getName());
			caches.apply(secret);
			return Result.done();
		});
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.runs.size() == 1);
		rests(shard);
		assertThat(this.runs).hasSize(1);
		this.world.merge("a", "{\"metadata\":{\"annotations\":{\"by\":\"others\"}}}");
		ShardWorld.soon().until(() -> this.runs.size() == 2);
		rests(shard);
		ShardWorld.forAWhile().until(() -> this.runs.size() == 2);
	}

	@Test
	void otherObjectsAndOtherControllersHearOfIt() {
		AtomicInteger second = new AtomicInteger();
		Shard shard = this.world.shard("s1");
		ResourceCache<ConfigMap> maps = shard.caches().of(ConfigMap.class);
		Reconciler<Secret> writesForA = (secret) -> {
			this.runs.add(secret.getMetadata().getName());
			if (secret.getMetadata().getName().equals("a")) {
				// Else the event of the ConfigMap finds "a" still waiting there.
				ShardWorld.soon().until(() -> second.get() > 0);
			}
			if (secret.getMetadata().getName().equals("a") && maps.get(this.world.namespace, "shared").isEmpty()) {
				maps.create(new ConfigMapBuilder().withNewMetadata()
					.withNamespace(this.world.namespace)
					.withName("shared")
					.endMetadata()
					.build());
			}
			return Result.done();
		};
		Function<ConfigMap, List<ObjectKey>> toBoth = (map) -> List.of(new ObjectKey(this.world.namespace, "a"),
				new ObjectKey(this.world.namespace, "b"));
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, writesForA)
			.named("first")
			.watches(ShardWorld.CONFIG_MAPS, toBoth::apply)
			.build());
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			if (secret.getMetadata().getName().equals("a")) {
				second.incrementAndGet();
			}
			return Result.done();
		}).named("second").watches(ShardWorld.CONFIG_MAPS, toBoth::apply).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		this.world.secretOf("s1", "b");
		ShardWorld.soon().until(() -> this.runs.equals(List.of("b")));
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.runs.equals(List.of("b", "a", "b")) && second.get() == 2);
		rests(shard);
		ShardWorld.forAWhile().until(() -> this.runs.size() == 3 && second.get() == 2);
	}

	@Test
	void aReconcileSeesWhatTheOneBeforeItWrote() {
		AtomicInteger stale = new AtomicInteger();
		Shard shard = started((caches) -> (secret) -> {
			Map<String, String> annotations = secret.getMetadata().getAnnotations();
			int count = (annotations != null) ? Integer.parseInt(annotations.getOrDefault("count", "0")) : 0;
			if (count != this.runs.size()) {
				stale.incrementAndGet();
			}
			this.runs.add(secret.getMetadata().getName());
			caches.count(secret, this.runs.size());
			return (this.runs.size() < 100) ? Result.requeue() : Result.done();
		});
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.runs.size() == 100);
		rests(shard);
		assertThat(this.runs).hasSize(100);
		assertThat(stale).hasValue(0);
	}

	private Shard started(Function<Writes, Reconciler<Secret>> reconciler) {
		Shard shard = this.world.shard("s1");
		ResourceCache<Secret> secrets = shard.caches().of(Secret.class);
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, reconciler.apply(new Writes(secrets))).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		return shard;
	}

	private static void rests(Shard shard) {
		ShardWorld.soon()
			.until(() -> shard.overlays().values().stream().allMatch(OverlayStatus::isEmpty)
					&& shard.controllers().stream().allMatch((each) -> each.active() == 0 && each.queued() == 0));
	}

	/**
	 * What a reconciler writes.
	 */
	private record Writes(ResourceCache<Secret> secrets) {

		void apply(Secret secret) {
			count(secret, 1);
			this.secrets.apply(new SecretBuilder().withNewMetadata()
				.withNamespace(secret.getMetadata().getNamespace())
				.withName(secret.getMetadata().getName())
				.addToAnnotations("applied", "yes")
				.endMetadata()
				.build());
		}

		void count(Secret secret, int count) {
			this.secrets.update(new SecretBuilder(secret).editMetadata()
				.addToAnnotations("count", Integer.toString(count))
				.endMetadata()
				.build());
		}

	}

}
