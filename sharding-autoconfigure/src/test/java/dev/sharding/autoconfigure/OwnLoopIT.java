package dev.sharding.autoconfigure;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.shard.ShardWork;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A shard whose only work is a loop of the application's own.
 */
@ControlPlaneTest
class OwnLoopIT {

	private final World world;

	OwnLoopIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = World.withRings(controlPlane, client, namespace);
	}

	/* A roll-out would remove the shards that work. */
	@Test
	void isNotReadyAsLongAsTheLoopCannotBegin() {
		shard("loop").run((context) -> {
			OwnLoop loop = context.getBean(OwnLoop.class);
			World.soon()
				.untilAsserted(() -> assertThat(health(context, "reconcilersHealthContributor").getDetails())
					.containsEntry("work", "failed to begin: java.lang.IllegalStateException: planned"));
			assertThat(context.getBean(Shard.class).phase()).isEqualTo(RuntimePhase.RUNNING);
			assertThat(health(context, "reconcilersHealthContributor").getStatus()).isEqualTo(Status.DOWN);
			assertThat(health(context, "shardingHealthIndicator").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
			loop.works = true;
			World.soon()
				.untilAsserted(
						() -> assertThat(health(context, "shardingHealthIndicator").getStatus()).isEqualTo(Status.UP));
			assertThat(health(context, "reconcilersHealthContributor").getStatus()).isEqualTo(Status.UP);
			assertThat(health(context, "reconcilersHealthContributor").getDetails()).doesNotContainKey("work");
		});
	}

	@Test
	void theLoopIsMadeThoughBeansAreMadeLate() {
		shard("late-loop")
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> {
				World.soon().until(() -> context.getBean(Shard.class).phase() == RuntimePhase.RUNNING);
				assertThat(context.getBean(Shard.class).hasWork()).isTrue();
			});
	}

	private ApplicationContextRunner shard(String ring) {
		this.world.ring(ring, "secrets", "configmaps");
		return this.world.shard(ring, this.world.client()).withUserConfiguration(OwnLoop.class);
	}

	private static Health health(ApplicationContext context, String bean) {
		Health health = context.getBean(bean, HealthIndicator.class).health();
		assertThat(health).isNotNull();
		return health;
	}

	static class OwnLoop implements ShardWork {

		private volatile boolean works;

		OwnLoop(Shard shard) {
			shard.add(this);
		}

		@Override
		public void begin() {
			if (!this.works) {
				throw new IllegalStateException("planned");
			}
		}

		@Override
		public void end() {
			// Nothing to do.
		}

	}

}
