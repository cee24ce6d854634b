package dev.sharding.internal.sharder;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.internal.sharder.shardlease.LeaseTrust;
import dev.sharding.internal.sharder.watch.SharedWatches;
import dev.sharding.protocol.ShardingLabels;
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

	/* Where no policy checks who writes Leases, anybody may make as many as he likes. */
	@Test
	void aLeaseOfNoRingOrOfNoNamespaceOfShardsMakesNoGauge() {
		this.world.withRing();
		this.world.shard("shard-a");
		ofAnotherRing("empty", "");
		ofAnotherRing("elsewhere", "no-such-ring");
		Sharder sharder = this.world.start();
		World.await().untilAsserted(() -> assertThat(shards("shard.info")).containsExactly("shard-a"));
		assertThat(shards("shard.state")).containsOnly("shard-a");
		assertThat(shards("shard.cordoned")).containsExactly("shard-a");
		World.await().untilAsserted(() -> assertThat(this.world.status().shards()).isEqualTo(1));
		sharder.close();
		this.world.start(this.world.client,
				World.AT_ONCE.withLeaseTrust(new LeaseTrust(LeaseTrust.DEFAULT.longest(), Set.of("kube-system"))));
		World.await()
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(gauge("controller.sharding.controllerring.status.shards")).isZero());
		assertThat(shards("shard.info")).isEmpty();
	}

	@Test
	void aLeaseWhoseLabelIsEmptyIsNotKept() throws Exception {
		this.world.shard("shard-a");
		ofAnotherRing("empty", "");
		try (SharedWatches watches = new SharedWatches(this.world.client)) {
			watches.leases().start();
			watches.leases().synced().get(World.PATIENCE.toSeconds(), TimeUnit.SECONDS);
			assertThat(watches.leasesOf("")).isEmpty();
			assertThat(watches.leasesOf(RING)).extracting((lease) -> lease.getMetadata().getName())
				.containsExactly("shard-a");
			ofAnotherRing("shard-a", "");
			World.await().until(() -> watches.leasesOf(RING).isEmpty());
			assertThat(watches.leasesOf("")).isEmpty();
		}
	}

	private void ofAnotherRing(String name, String ring) {
		this.world.shard(name);
		this.world.editLease(name, (lease) -> {
			lease.getMetadata().getLabels().put(ShardingLabels.LEASE_RING, ring);
			return lease;
		});
	}

	private List<String> shards(String meter) {
		return this.world.metrics.find("controller.sharding." + meter)
			.tag("namespace", this.world.namespace)
			.gauges()
			.stream()
			.map((gauge) -> gauge.getId().getTag("shard"))
			.toList();
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
