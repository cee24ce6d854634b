package dev.sharding.internal.sharder.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import dev.sharding.client.ApiException;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.internal.sharder.ring.ServedRings;
import dev.sharding.protocol.RingRoles;
import dev.sharding.resource.GroupResource;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
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

	private static final int FORBIDDEN = 403;

	@Mixin
	private final ClusterOptions options = new ClusterOptions();

	@Spec
	private CommandSpec command = CommandSpec.create();

	@Option(names = "--sharder-namespace", paramLabel = "NAME", defaultValue = "sharding-system",
			description = "Where the sharder runs; ${DEFAULT-VALUE} by default.")
	private String sharderNamespace = "sharding-system";

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
			ControllerRing ring = cluster.ring(String.valueOf(this.source.ring));
			List<HasMetadata> roles = new ArrayList<>(RingRoles.of(ring));
			// The sharder takes labels off what the ring does not list any more.
			roles.set(0, RingRoles.of(withFormer(ring, labelled(cluster, ring))).get(0));
			return roles.stream().map(cluster.serialization()::asYaml).collect(Collectors.joining());
		}
	}

	/** What may carry labels of a ring. */
	private Set<GroupResource> labelled(Cluster cluster, ControllerRing ring) {
		try {
			ConfigMap account = cluster.get(
					"/api/v1/namespaces/" + this.sharderNamespace + "/configmaps/" + ServedRings.NAME, ConfigMap.class);
			return (account != null)
					? ServedRings.parse(account.getData()).getOrDefault(ring.getMetadata().getName(), Set.of())
					: Set.of();
		}
		catch (ApiException ex) {
			if (ex.status() != FORBIDDEN) {
				throw ex;
			}
			this.command.commandLine()
				.getErr()
				.println("Without rights to what the ring does not list any more: " + ex.getMessage());
			return Set.of();
		}
	}

	private static ControllerRing withFormer(ControllerRing ring, Set<GroupResource> former) {
		List<MainResource> all = new ArrayList<>(ring.getSpec().resources());
		former.forEach((resource) -> all.add(new MainResource(resource.group(), resource.resource(), null)));
		ControllerRing with = new ControllerRing();
		with.setMetadata(ring.getMetadata());
		with.setSpec(new ControllerRingSpec(all, null));
		return with;
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
