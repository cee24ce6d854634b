package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A shard that was never seen to renew its Lease, so that others of its ring tell for how
 * long it may act.
 */
@ControlPlaneTest
class UnprovenLeaseIT {

	/* Longer than any test waits. */
	private static final int LONG = 300;

	private final World world;

	UnprovenLeaseIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "unproven");
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	@DisplayName("Its Lease is taken as soon as the others turn out to renew for less, although nothing happens to it")
	void isNotWaitedForOnceTheOthersTurnOutToRenewForLess() {
		this.world.withRing();
		this.world.shard("shard-a");
		// Taken off by somebody: its process may still act, for nobody knows how long.
		this.world.editLease("shard-a", (lease) -> {
			lease.getSpec().setHolderIdentity("");
			return lease;
		});
		this.world.shard("shard-b");
		this.world.editLease("shard-b", (lease) -> {
			lease.getSpec().setLeaseDurationSeconds(LONG);
			return lease;
		});
		this.world.secret("s-1", this.world.assignedTo("shard-a"));
		this.world.start();
		World.await().untilAsserted(() -> assertThat(this.world.state("shard-a")).isEqualTo("dead"));
		World.await()
			.during(Duration.ofSeconds(3))
			.untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a"));
		// Two renewals alike show for how long it renews: what was there before was an
		// edit.
		renewFor(15, 1);
		renewFor(15, 2);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-b"));
	}

	private void renewFor(int seconds, int hours) {
		this.world.editLease("shard-b", (lease) -> {
			lease.getSpec().setLeaseDurationSeconds(seconds);
			lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC).plusHours(hours));
			return lease;
		});
	}

}
