package dev.sharding.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

import dev.sharding.shard.ApplicationExit;
import dev.sharding.shard.LeaderElectedControllers;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of an application without ring whose replica is the leader no more.
 */
@ControlPlaneTest
class LossExitIT {

	private final World world;

	LossExitIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(controlPlane, client, namespace);
	}

	@Test
	void aLeaderEndsWithItsLeaseIfToldTo() {
		List<String> exits = new CopyOnWriteArrayList<>();
		this.world.runner("loss", this.world.client())
			.withBean(ApplicationExit.class, () -> exits::add)
			.withPropertyValues("sharding.enabled=false", "sharding.lease.on-loss=exit",
					"sharding.leader-election.lease-name=loss")
			.run((context) -> {
				LeaderElectedControllers controllers = context.getBean(LeaderElectedControllers.class);
				World.soon().until(() -> controllers.phase() == RuntimePhase.RUNNING);
				assertThat(exits).isEmpty();
				this.world.client().leases().inNamespace(this.world.namespace()).withName("loss").edit((lease) -> {
					lease.getSpec().setHolderIdentity("somebody else");
					return lease;
				});
				World.soon()
					.untilAsserted(() -> assertThat(exits).singleElement()
						.asString()
						.contains("'sharding.lease.on-loss' is 'exit'"));
			});
	}

}
