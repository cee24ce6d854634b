package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import dev.sharding.client.NotSentException;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.lease.LeaseListener;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.assignment.placement.DrainPatience;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shards that renew their Lease and do not let go.
 */
@ControlPlaneTest
class StuckDrainIT {

	private static final RenewalTimings TIMINGS = RenewalTimings.of(Duration.ofSeconds(15), null, null);

	private final ControlPlane controlPlane;

	private final World world;

	private final String name;

	StuckDrainIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.world = new World(client, namespace, "stuck");
		this.name = this.world.secretOf("shard-b", "shard-a", "shard-b");
	}

	@BeforeEach
	void create() {
		this.world.withRing();
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	@DisplayName("A drain that is not acknowledged shows in ring status, Event and metric, and moves nothing as long as there is patience")
	void reportsAShardThatDoesNotLetGo() {
		this.world.start(this.world.client,
				World.AT_ONCE.withDrainPatience(new DrainPatience(Duration.ofSeconds(1), Duration.ZERO)));
		this.world.shard("shard-a");
		this.world.secret(this.name, this.world.assignedTo("shard-a"));
		this.world.shard("shard-b");
		World.await().untilAsserted(() -> {
			assertThat(isStuck()).isTrue();
			assertThat(stuckObjects()).isEqualTo(1);
			assertThat(this.world.client.resources(io.fabric8.kubernetes.api.model.events.v1.Event.class)
				.inAnyNamespace()
				.list()
				.getItems()).anyMatch((event) -> "DrainStuck".equals(event.getReason()));
		});
		World.await()
			.during(Duration.ofSeconds(3))
			.untilAsserted(() -> assertThat(this.world.secretShard(this.name)).isEqualTo("shard-a"));
		this.world.removeLabels(this.name);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard(this.name)).isEqualTo("shard-b");
			assertThat(isStuck()).isFalse();
			assertThat(stuckObjects()).isZero();
		});
	}

	@Test
	@DisplayName("When patience ends the Lease of the shard is taken, and its objects move once it must have noticed")
	void takesTheLeaseOfAShardThatDoesNotLetGo() {
		try (KubernetesClient client = LeaseClients.create(this.controlPlane.admin().config(), TIMINGS);
				LeaseHolder shard = new LeaseHolder(
						LeaseHolderConfig.shard(this.world.namespace, this.world.ring, "shard-a", TIMINGS), client,
						this.world.metrics, LeaseClock.SYSTEM, () -> false)) {
			AtomicReference<String> ownerAtLoss = new AtomicReference<>();
			shard.addListener(new LeaseListener() {

				@Override
				public void lost(LeaseTerm term, String reason) {
					ownerAtLoss.compareAndSet(null, StuckDrainIT.this.world.secretShard(StuckDrainIT.this.name));
				}

			});
			shard.start();
			shard.held().join();
			this.world.secret(this.name, this.world.assignedTo("shard-a"));
			this.world.start(this.world.client,
					World.AT_ONCE.withDrainPatience(new DrainPatience(Duration.ofSeconds(1), Duration.ofSeconds(2))));
			this.world.shard("shard-b");
			World.await().untilAsserted(() -> assertThat(this.world.secretShard(this.name)).isEqualTo("shard-b"));
			World.await().until(() -> ownerAtLoss.get() != null);
			assertThat(ownerAtLoss.get()).isEqualTo("shard-a");
			World.await().untilAsserted(() -> {
				assertThat(this.world.state("shard-a")).isEqualTo("ready");
				assertThat(isStuck()).isFalse();
			});
			assertThat(this.world.secretShard(this.name)).isEqualTo("shard-b");
		}
	}

	@Test
	@DisplayName("A drain that never came to be is no stuck one: the shard keeps its Lease")
	void forcesNobodyWhoWasNeverAsked() {
		AtomicBoolean away = new AtomicBoolean(true);
		AtomicInteger attempts = new AtomicInteger();
		this.world.shard("shard-a");
		this.world.secret(this.name, this.world.assignedTo("shard-a"));
		this.world.run(new Sharder(this.world.client,
				World.AT_ONCE.withDrainPatience(new DrainPatience(Duration.ofMillis(500), Duration.ofSeconds(1))),
				Surroundings.usual(), this.world.metrics, InstantSource.system(), System::nanoTime, (request) -> {
					if (request.path().endsWith("/secrets/" + this.name) && away.get()) {
						attempts.incrementAndGet();
						throw new AwayException();
					}
					return null;
				}, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		this.world.awaitShards(1);
		this.world.shard("shard-b");
		World.await().until(() -> attempts.get() > 0);
		this.world.awaitShards(2);
		this.world.release("shard-b");
		this.world.awaitShards(1);
		away.set(false);
		World.await().during(Duration.ofSeconds(4)).untilAsserted(() -> {
			assertThat(this.world.lease("shard-a").getSpec().getHolderIdentity()).isEqualTo("shard-a");
			assertThat(isStuck()).isFalse();
		});
	}

	private static final class AwayException extends NotSentException {

		private static final long serialVersionUID = 1L;

		private AwayException() {
			super("connection broke");
		}

	}

	private boolean isStuck() {
		return this.world.status()
			.conditions()
			.stream()
			.anyMatch((condition) -> "DrainsAcknowledged".equals(condition.getType())
					&& "False".equals(condition.getStatus()) && condition.getMessage().contains("shard-a"));
	}

	private double stuckObjects() {
		return this.world.metrics.get("controller.sharding.drains.stuck")
			.tag("controllerring", this.world.ring)
			.gauge()
			.value();
	}

}
