package dev.sharding.internal.sharder.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.sharding.internal.core.lease.LeaseTimes;
import dev.sharding.internal.kubernetes.rest.http.ClientJson;
import dev.sharding.internal.kubernetes.rest.http.Kubeconfig;
import dev.sharding.internal.kubernetes.rest.http.QuietHttpClients;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Which cluster is meant, by the flags of kubectl.
 */
final class ClusterOptions {

	@Option(names = "--kubeconfig", paramLabel = "FILE", description = "The kubeconfig, if not the usual one.")
	private @Nullable Path kubeconfig;

	@Option(names = "--context", paramLabel = "NAME", description = "The context of the kubeconfig.")
	private @Nullable String context;

	@Option(names = { "-n", "--namespace" }, paramLabel = "NAME",
			description = "Only Leases of this namespace count; by default those of all.")
	private @Nullable String namespace;

	@Option(names = "--max-lease-duration", paramLabel = "DURATION", defaultValue = "PT10M",
			description = "The sharder's property of this name, as an ISO-8601 duration.")
	private Duration longest = LeaseTimes.LONGEST;

	@Option(names = { "-h", "--help" }, usageHelp = true, description = "Prints this help.")
	private boolean help;

	@Nullable String namespace() {
		return this.namespace;
	}

	/** The same for kubectl itself. */
	List<String> kubectlFlags() {
		List<String> flags = new ArrayList<>();
		if (this.kubeconfig != null) {
			flags.addAll(List.of("--kubeconfig", this.kubeconfig.toString()));
		}
		if (this.context != null) {
			flags.addAll(List.of("--context", this.context));
		}
		return flags;
	}

	Cluster connect() {
		return new Cluster(client(), this.namespace, this.longest);
	}

	private KubernetesClient client() {
		if (this.kubeconfig == null && this.context == null) {
			return Kubeconfig.newBuilder().withHttpClientFactory(QuietHttpClients.forOurCode()).build();
		}
		return new KubernetesClientBuilder().withHttpClientFactory(QuietHttpClients.forOurCode())
			.withKubernetesSerialization(ClientJson.take())
			.withConfig(config())
			.build();
	}

	private Config config() {
		if (this.kubeconfig == null) {
			return known(Config.autoConfigure(this.context));
		}
		try {
			return known(Config.fromKubeconfig(this.context, Files.readString(this.kubeconfig),
					this.kubeconfig.toAbsolutePath().toString()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/* The client silently takes another cluster for a context that does not exist. */
	private Config known(Config config) {
		if (this.context != null
				&& (config.getCurrentContext() == null || !this.context.equals(config.getCurrentContext().getName()))) {
			throw new CommandFailure("There is no context '%s' in the kubeconfig".formatted(this.context));
		}
		return config;
	}

}
