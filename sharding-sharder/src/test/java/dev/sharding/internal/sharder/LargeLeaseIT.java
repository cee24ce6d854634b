package dev.sharding.internal.sharder;

import dev.sharding.internal.sharder.watch.SharedWatches;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases on which somebody has written as much as the API server takes.
 */
@ControlPlaneTest
class LargeLeaseIT {

	private static final String NOTE = "example.com/note";

	private static final String LONG = "x".repeat(200_000);

	private final World world;

	LargeLeaseIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "large-lease");
	}

	@BeforeEach
	void create() {
		this.world.withRing().impatient();
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	@DisplayName("The watch that outlives terms keeps of a Lease no more than the Lease of a shard says")
	void keepsLittleOfALargeLease() {
		this.world.shard("shard-a");
		note("shard-a");
		ObjectKey key = new ObjectKey(this.world.namespace, "shard-a");
		try (SharedWatches watches = new SharedWatches(this.world.client)) {
			watches.leases().start();
			World.await().until(watches.leases().synced()::isDone);
			assertThat(size(watches.leases().store().get(key))).isLessThan(10_000);
			// What comes later as well.
			this.world.editLease("shard-a", (lease) -> {
				lease.getMetadata().getAnnotations().put(ShardingLabels.CORDONED, "true");
				return lease;
			});
			World.await()
				.until(() -> watches.leases()
					.store()
					.get(key)
					.getMetadata()
					.getAnnotations()
					.containsKey(ShardingLabels.CORDONED));
			assertThat(size(watches.leases().store().get(key))).isLessThan(10_000);
		}
	}

	@Test
	@DisplayName("The sharder that takes such a Lease, and gives it back, leaves on it what others have written")
	void leavesWhatOthersHaveWritten() {
		this.world.start();
		String name = this.world.secretOf("shard-a", "shard-a", "shard-b");
		try (LeaseHistory history = new LeaseHistory(this.world, "shard-a")) {
			this.world.shard("shard-a", 5);
			note("shard-a");
			this.world.shard("shard-b");
			this.world.secret(name, this.world.assignedTo("shard-a"));
			World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-b"));
			World.await().until(() -> LeaseHistory.isFree(this.world.lease("shard-a")));
			assertThat(history.versions()).extracting((version) -> version.getSpec().getHolderIdentity())
				.contains("shardlease-controller");
		}
		Lease freed = this.world.lease("shard-a");
		assertThat(freed.getMetadata().getAnnotations()).containsEntry(NOTE, LONG)
			.containsEntry(ShardingLabels.INSTANCE_ID, "hand-made");
		assertThat(freed.getMetadata().getLabels()).containsEntry("example.com/label", "theirs");
	}

	private void note(String shard) {
		this.world.editLease(shard, (lease) -> {
			lease.getMetadata().getAnnotations().put(NOTE, LONG);
			lease.getMetadata().getLabels().put("example.com/label", "theirs");
			return lease;
		});
	}

	private int size(Lease lease) {
		return this.world.client.getKubernetesSerialization().asJson(lease).length();
	}

}
