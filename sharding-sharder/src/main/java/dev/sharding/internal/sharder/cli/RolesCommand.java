package dev.sharding.internal.sharder.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import dev.sharding.protocol.RingRoles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Prints the roles of a ring.
 */
@Command(name = "roles", description = "Prints the roles that the sharder and the shards of a ring need, to apply.")
final class RolesCommand implements Callable<Integer> {

	@Mixin
	private final ClusterOptions options = new ClusterOptions();

	@Spec
	private CommandSpec command = CommandSpec.create();

	@ArgGroup(multiplicity = "1")
	private Source source = new Source();

	@Override
	public Integer call() {
		try {
			this.command.commandLine().getOut().print(roles());
			this.command.commandLine().getOut().flush();
			return ShardingCommand.WELL;
		}
		catch (IllegalArgumentException ex) {
			throw new CommandFailure(String.valueOf(ex.getMessage()));
		}
	}

	private String roles() {
		if (this.source.file != null) {
			return RingRoles.ofFile(this.source.file);
		}
		try (Cluster cluster = this.options.connect()) {
			return RingRoles.of(cluster.ring(String.valueOf(this.source.ring)))
				.stream()
				.map(cluster.serialization()::asYaml)
				.collect(Collectors.joining());
		}
	}

	/**
	 * Where the ring is.
	 */
	private static final class Source {

		@Parameters(paramLabel = "RING")
		private @Nullable String ring;

		@Option(names = { "-f", "--filename" }, paramLabel = "FILE", description = "A file with the ControllerRing.")
		private @Nullable Path file;

	}

}
