package dev.sharding.internal.sharder;

import java.time.InstantSource;

import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.memory.MemoryPressure;
import dev.sharding.internal.sharder.memory.MemoryState;
import dev.sharding.internal.sharder.memory.MemoryState.Level;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A sharder that is told that memory is short, and that it is not any more.
 */
@ControlPlaneTest
class MemoryPressureIT {

	private final World world;

	MemoryPressureIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "ring-" + namespace);
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	void worksOnSlowlyAndSaysSo() {
		Told memory = new Told();
		this.world.withRing();
		try (Sharder sharder = this.world.run(new Sharder(this.world.client, World.AT_ONCE,
				Surroundings.usual().withMemory(memory), this.world.metrics, InstantSource.system(), System::nanoTime,
				RequestGuard.NONE, HandOverOrder.CONTROLLED_OBJECTS_FIRST))) {
			this.world.shard("shard-a");
			World.await().untilAsserted(() -> assertThat(condition().getStatus()).isEqualTo("True"));
			memory.say("The heap is nearly full. Raise it to 768 MiB");
			World.await().untilAsserted(() -> {
				assertThat(condition().getStatus()).isEqualTo("False");
				assertThat(condition().getReason()).isEqualTo("MemoryShort");
				assertThat(condition().getMessage()).endsWith("Raise it to 768 MiB");
			});
			assertThat(gauge("short")).isEqualTo(1);
			assertThat(gauge("live")).isEqualTo(0.9);
			// Lists and patches take their turns, and all get one.
			for (int i = 0; i < 40; i++) {
				this.world.secret("n-" + i);
			}
			this.world.shard("shard-b");
			World.await()
				.untilAsserted(() -> assertThat(this.world.client.secrets().inNamespace(this.world.namespace).list())
					.satisfies((secrets) -> assertThat(secrets.getItems())
						.allSatisfy((secret) -> assertThat(this.world.secretShard(secret.getMetadata().getName()))
							.isNotNull())));
			memory.say(null);
			World.await().untilAsserted(() -> assertThat(condition().getStatus()).isEqualTo("True"));
			assertThat(gauge("short")).isZero();
			sharder.close();
		}
		assertThat(this.world.metrics.find("controller.sharding.memory.short").gauge()).isNull();
	}

	private Condition condition() {
		return this.world.status()
			.conditions()
			.stream()
			.filter((condition) -> "MemorySufficient".equals(condition.getType()))
			.findFirst()
			.orElseGet(Condition::new);
	}

	private double gauge(String name) {
		return this.world.metrics.get("controller.sharding.memory." + name).gauge().value();
	}

	private static final class Told implements MemoryPressure {

		private volatile @Nullable String problem;

		private volatile Runnable listener = () -> {
		};

		private void say(@Nullable String text) {
			this.problem = text;
			this.listener.run();
		}

		@Override
		public MemoryState state() {
			return new MemoryState((this.problem != null) ? Level.NEAR : Level.FINE, 90, 100, 0);
		}

		@Override
		public double share() {
			return 0.9;
		}

		@Override
		public @Nullable String problem() {
			return this.problem;
		}

		@Override
		public void onChange(Runnable changed) {
			this.listener = changed;
		}

	}

}
