package dev.sharding.internal.sharder;

import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the sharder's meters say of a ring, and that they say nothing of one that it does
 * not serve any more.
 */
@ControlPlaneTest
class SharderMetricsIT {

	private static final String RING = "measured";

	private final World world;

	SharderMetricsIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, RING);
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	void conditionsAreMetrics() {
		this.world
			.withRing((spec) -> new ControllerRingSpec(List.of(new MainResource("none.example.com", "things", null)),
					spec.namespaceSelector()))
			.start();
		World.await().untilAsserted(() -> {
			assertThat(condition("Ready", "false")).isEqualTo(1);
			assertThat(condition("Ready", "true")).isZero();
			assertThat(condition("Ready", "unknown")).isZero();
			assertThat(condition("ShardsValid", "true")).isEqualTo(1);
		});
	}

	@Test
	void aResyncIsTimedAndItsLastSuccessHasAnAge() {
		this.world.shard("shard-a");
		this.world.withRing().start();
		World.await().untilAsserted(() -> {
			Timer passes = this.world.metrics.find("controller.sharding.resync")
				.tags("controllerring", RING, "result", "success")
				.timer();
			assertThat(passes).isNotNull();
			assertThat(passes.count()).isPositive();
			assertThat(passes.totalTime(TimeUnit.NANOSECONDS)).isPositive();
		});
		assertThat(gauge("controller.sharding.resync.age")).isBetween(0.0, World.PATIENCE.toSeconds() * 1.0);
		for (String kind : List.of("objects", "patches", "hanging", "drains")) {
			assertThat(this.world.metrics.get("controller.sharding.backlog")
				.tags("controllerring", RING, "kind", kind)
				.gauge()
				.value()).isZero();
		}
		assertThat(gauge("controller.sharding.objects.failing")).isZero();
	}

	@Test
	void gaugesGoWithTheirRing() {
		this.world.withRing().start();
		World.await().untilAsserted(() -> assertThat(gauges()).hasSizeGreaterThan(8));
		this.world.client.resource(this.world.ring()).delete();
		World.await().untilAsserted(() -> assertThat(gauges()).isEmpty());
	}

	@Test
	void gaugesGoWithTheLeader() {
		Sharder sharder = this.world.withRing().start();
		World.await().untilAsserted(() -> assertThat(gauges()).hasSizeGreaterThan(8));
		sharder.close();
		assertThat(gauges()).isEmpty();
	}

	private double condition(String type, String status) {
		Gauge gauge = this.world.metrics.find("controller.sharding.controllerring.condition")
			.tags("controllerring", RING, "type", type, "status", status)
			.gauge();
		assertThat(gauge).isNotNull();
		return gauge.value();
	}

	private double gauge(String name) {
		return this.world.metrics.get(name).tag("controllerring", RING).gauge().value();
	}

	private List<Meter> gauges() {
		return this.world.metrics.getMeters()
			.stream()
			.filter((meter) -> meter instanceof Gauge && RING.equals(meter.getId().getTag("controllerring")))
			.toList();
	}

}
