package dev.sharding.sharder.cli;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;

import dev.sharding.core.ShardingLabels;
import dev.sharding.sharder.ring.ControllerRing;
import dev.sharding.sharder.shardlease.Membership;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What changes something: by annotations that the sharder obeys.
 */
@Command
final class OrderCommands {

	@Spec
	private CommandSpec command = CommandSpec.create();

	@Command(name = "cordon", description = "Gives a shard no objects any more, and asks it to let go of those it has.")
	void cordon(@Mixin ClusterOptions options, @Parameters(paramLabel = "SHARD") String shard) {
		cordon(options, shard, true);
	}

	@Command(name = "uncordon", description = "Gives a shard its objects again.")
	void uncordon(@Mixin ClusterOptions options, @Parameters(paramLabel = "SHARD") String shard) {
		cordon(options, shard, false);
	}

	@Command(name = "pause", description = "Leaves the objects of a ring with their owners; those without get one.")
	void pause(@Mixin ClusterOptions options, @Parameters(paramLabel = "RING") String ring) {
		pause(options, ring, true);
	}

	@Command(name = "resume", description = "Lets the objects of a ring move again.")
	void resume(@Mixin ClusterOptions options, @Parameters(paramLabel = "RING") String ring) {
		pause(options, ring, false);
	}

	private void cordon(ClusterOptions options, String shard, boolean on) {
		try (Cluster cluster = options.connect()) {
			List<Lease> named = cluster.leases(null)
				.stream()
				.filter((lease) -> lease.getMetadata().getName().equals(shard))
				.toList();
			if (named.size() != 1) {
				throw new CommandFailure(named.isEmpty() ? "There is no Lease of a shard '%s'".formatted(shard)
						: "There are %d Leases of the name '%s': say which by --namespace".formatted(named.size(),
								shard));
			}
			Lease lease = named.get(0);
			String ring = lease.getMetadata().getLabels().get(ShardingLabels.LEASE_RING);
			cluster.annotate(Cluster.path(lease), ShardingLabels.CORDONED, on);
			out().println("Shard %s of ring %s is %s".formatted(shard, ring,
					on ? "cordoned: its objects move to others" : "uncordoned"));
			Membership membership = cluster.membership(cluster.leases(ring), Instant.now());
			if (on && membership.available().equals(membership.cordoned())) {
				out().println("All available shards are cordoned now, so that none of them counts as such");
			}
		}
	}

	private void pause(ClusterOptions options, String name, boolean on) {
		try (Cluster cluster = options.connect()) {
			ControllerRing ring = cluster.ring(name);
			cluster.annotate(Cluster.RINGS.path(null, ring.getMetadata().getName()), ShardingLabels.PAUSED, on);
			out()
				.println(on ? "Ring %s is paused: what has an owner stays there, what has none gets one".formatted(name)
						: "Ring %s goes on".formatted(name));
		}
	}

	private PrintWriter out() {
		return this.command.commandLine().getOut();
	}

}
