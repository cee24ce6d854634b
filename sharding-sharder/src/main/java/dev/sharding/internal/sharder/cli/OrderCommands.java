package dev.sharding.internal.sharder.cli;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.shardlease.Membership;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * What changes something: by annotations that the sharder obeys.
 */
final class OrderCommands {

	private OrderCommands() {
	}

	private static void cordon(ClusterOptions options, CommandSpec command, String shard, boolean on) {
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
			command.commandLine()
				.getOut()
				.println("Shard %s of ring %s is %s".formatted(shard, ring,
						on ? "cordoned: its objects move to others" : "uncordoned"));
			Membership membership = cluster.membership(cluster.leases(ring), Instant.now());
			if (on && membership.available().equals(membership.cordoned())) {
				command.commandLine()
					.getOut()
					.println(
							"All available shards are cordoned now, so the cordons are ignored: these get objects all the same");
			}
		}
	}

	private static void pause(ClusterOptions options, CommandSpec command, String name, boolean on) {
		try (Cluster cluster = options.connect()) {
			ControllerRing ring = cluster.ring(name);
			cluster.annotate(Cluster.RINGS.path(null, ring.getMetadata().getName()), ShardingLabels.PAUSED, on);
			command.commandLine()
				.getOut()
				.println(on ? "Ring %s is paused: what has an owner stays there, what has none gets one".formatted(name)
						: "Ring %s goes on".formatted(name));
		}
	}

	/**
	 * Takes a shard off the ring.
	 */
	@Command(name = "cordon", description = "Gives a shard no objects any more, and asks it to let go of those it has.")
	static final class Cordon implements Callable<Integer> {

		@Mixin
		private final ClusterOptions options = new ClusterOptions();

		@Spec
		private CommandSpec command = CommandSpec.create();

		@Parameters(paramLabel = "SHARD")
		private String shard = "";

		@Override
		public Integer call() {
			cordon(this.options, this.command, this.shard, true);
			return ShardingCommand.WELL;
		}

	}

	/**
	 * Puts a shard on the ring again.
	 */
	@Command(name = "uncordon", description = "Gives a shard its objects again.")
	static final class Uncordon implements Callable<Integer> {

		@Mixin
		private final ClusterOptions options = new ClusterOptions();

		@Spec
		private CommandSpec command = CommandSpec.create();

		@Parameters(paramLabel = "SHARD")
		private String shard = "";

		@Override
		public Integer call() {
			cordon(this.options, this.command, this.shard, false);
			return ShardingCommand.WELL;
		}

	}

	/**
	 * Keeps the objects of a ring where they are.
	 */
	@Command(name = "pause", description = "Leaves the objects of a ring with their owners; those without get one.")
	static final class Pause implements Callable<Integer> {

		@Mixin
		private final ClusterOptions options = new ClusterOptions();

		@Spec
		private CommandSpec command = CommandSpec.create();

		@Parameters(paramLabel = "RING")
		private String ring = "";

		@Override
		public Integer call() {
			pause(this.options, this.command, this.ring, true);
			return ShardingCommand.WELL;
		}

	}

	/**
	 * Lets the objects of a ring move again.
	 */
	@Command(name = "resume", description = "Lets the objects of a ring move again.")
	static final class Resume implements Callable<Integer> {

		@Mixin
		private final ClusterOptions options = new ClusterOptions();

		@Spec
		private CommandSpec command = CommandSpec.create();

		@Parameters(paramLabel = "RING")
		private String ring = "";

		@Override
		public Integer call() {
			pause(this.options, this.command, this.ring, false);
			return ShardingCommand.WELL;
		}

	}

}
