package dev.sharding.internal.sharder.cli;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.sharding.client.ApiException;
import dev.sharding.internal.sharder.ui.Target;
import dev.sharding.internal.sharder.ui.Tunnel;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the pod of the leader and a way to its page, and another one when that ends or
 * another pod leads.
 */
final class LeaderPage implements AutoCloseable {

	private static final Duration TOKEN_LASTS = Duration.ofHours(1);

	/* A kubeconfig may tell no end. */
	private static final Duration TOKEN_USED = Duration.ofMinutes(10);

	private final ClusterOptions options;

	private final String namespace;

	private final int port;

	private final @Nullable URI url;

	private final @Nullable String account;

	private @Nullable Tunnel tunnel;

	private String pod = "";

	private @Nullable String token;

	private Instant tokenSince = Instant.MIN;

	private volatile @Nullable Target target;

	/**
	 * @param namespace that of the sharder
	 * @param port the port of the page in its pods
	 * @param url where the page is without a tunnel, or {@code null}
	 * @param account the ServiceAccount to ask as, or {@code null} for the user
	 */
	LeaderPage(ClusterOptions options, String namespace, int port, @Nullable URI url, @Nullable String account) {
		this.options = options;
		this.namespace = namespace;
		this.port = port;
		this.url = url;
		this.account = account;
	}

	/** Where the page is, {@code null} while nobody leads. */
	@Nullable Target target() {
		return this.target;
	}

	/** Whose page it is, for people. */
	String name() {
		return (this.url != null) ? this.url.toString() : "pod " + this.namespace + "/" + this.pod;
	}

	/** Finds the way there. */
	void look() throws IOException {
		if (this.url != null) {
			// A token is nobody's business but that of the cluster.
			this.target = new Target(this.url, "https".equals(this.url.getScheme()) ? token() : null);
			return;
		}
		try (Cluster cluster = this.options.connect()) {
			String leader = leader(cluster);
			if (!leader.equals(this.pod) || this.tunnel == null || !this.tunnel.isOpen()) {
				close();
				this.tunnel = Tunnel.open(this.options.kubectlFlags(), this.namespace, leader, this.port);
				this.pod = leader;
			}
		}
		this.target = new Target(URI.create("https://127.0.0.1:" + this.tunnel.port()), token());
	}

	/** Looks whether the way is still the right one. Returns what to tell about it. */
	List<String> lookAgain() {
		if (this.tunnel != null && !this.tunnel.isOpen()) {
			this.target = null;
		}
		try {
			look();
			return List.of();
		}
		catch (IOException | CommandFailure | ApiException | KubernetesClientException ex) {
			return List.of("Failed, trying again: " + ex.getMessage());
		}
	}

	private String leader(Cluster cluster) {
		Lease lease = cluster.lease(this.namespace, "sharder");
		String holder = (lease != null && lease.getSpec() != null) ? lease.getSpec().getHolderIdentity() : null;
		if (holder == null || holder.isEmpty()) {
			throw new CommandFailure(
					"No sharder leads: the Lease %s/sharder is held by nobody".formatted(this.namespace));
		}
		// The name of the host, which is that of the pod, and the number of the process.
		String host = holder.replaceFirst("_[^_]*$", "");
		if (cluster.get("/api/v1/namespaces/" + this.namespace + "/pods/" + host, Pod.class) == null) {
			throw new CommandFailure("The leader %s is no pod of namespace %s: say where it is with --sharder-url"
				.formatted(holder, this.namespace));
		}
		return host;
	}

	private @Nullable String token() {
		Instant now = Instant.now();
		if (this.token == null || this.tokenSince.plus(TOKEN_USED).isBefore(now)) {
			try (Cluster cluster = this.options.connect()) {
				this.token = (this.account != null) ? ofAccount(cluster, this.account) : ofUser(cluster);
				this.tokenSince = now;
			}
		}
		return this.token;
	}

	private static String ofAccount(Cluster cluster, String account) {
		String[] parts = account.split("/", 2);
		if (parts.length != 2) {
			throw new CommandFailure("'--account' must be NAMESPACE/NAME (is %s)".formatted(account));
		}
		TokenRequest asked = new TokenRequestBuilder().withNewSpec()
			.withExpirationSeconds(TOKEN_LASTS.toSeconds())
			.endSpec()
			.build();
		return cluster.client()
			.serviceAccounts()
			.inNamespace(parts[0])
			.withName(parts[1])
			.tokenRequest(asked)
			.getStatus()
			.getToken();
	}

	private static String ofUser(Cluster cluster) {
		Config config = cluster.client().getConfiguration();
		String found = (config.getOauthToken() != null) ? config.getOauthToken() : config.getAutoOAuthToken();
		if (found == null || found.isEmpty()) {
			throw new CommandFailure("The kubeconfig has no token, by which the sharder knows who asks: name a"
					+ " ServiceAccount with --account NAMESPACE/NAME that is bound to sharding:page-reader");
		}
		return found;
	}

	@Override
	public void close() {
		this.target = null;
		if (this.tunnel != null) {
			this.tunnel.close();
			this.tunnel = null;
		}
	}

}
