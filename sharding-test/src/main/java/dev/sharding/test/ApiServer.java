package dev.sharding.test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * One kube-apiserver of a control plane.
 */
public final class ApiServer {

	private static final Duration START_TIMEOUT = Duration.ofMinutes(2);

	private static final int PROBE_TIMEOUT_MILLIS = 5_000;

	private final int port;

	private final ServerFiles files;

	private final Path auditLog;

	private final ManagedProcess process;

	ApiServer(String name, Path program, ServerFiles files, Etcd etcd, int port, List<String> flags,
			Consumer<ManagedProcess> onDeath) {
		this.port = port;
		this.files = files;
		this.auditLog = files.folder().resolve(name + "-audit.log");
		List<String> command = new ArrayList<>(
				List.of(program.toString(), "--etcd-servers=" + etcd.url(), "--bind-address=127.0.0.1",
						"--advertise-address=127.0.0.1", "--secure-port=" + port, "--endpoint-reconciler-type=none",
						"--cert-dir=" + files.certificates(), "--service-account-issuer=https://localhost",
						"--service-account-signing-key-file=" + files.privateKey(),
						"--service-account-key-file=" + files.publicKey(), "--authorization-mode=RBAC",
						"--token-auth-file=" + files.tokens(), "--service-cluster-ip-range=10.0.0.0/24",
						"--disable-admission-plugins=ServiceAccount", "--profiling=false",
						// Else a stop waits for whoever watches, until it is killed.
						"--shutdown-watch-termination-grace-period=2s"));
		Path policy = files.auditPolicy();
		if (policy != null) {
			// The size is in megabytes: one file, never rotated away under a reader.
			command.addAll(List.of("--audit-policy-file=" + policy, "--audit-log-path=" + this.auditLog,
					"--audit-log-maxsize=100000"));
		}
		command.addAll(flags);
		this.process = new ManagedProcess(name, command, files.folder().resolve(name + ".log"), this::awaitReady,
				onDeath);
	}

	/** The port on loopback; the same over all starts. */
	public int port() {
		return this.port;
	}

	/** The address for clients. */
	public String url() {
		return "https://127.0.0.1:" + this.port;
	}

	/** The process: stop, kill, pause, resume, restart. */
	public ManagedProcess process() {
		return this.process;
	}

	/**
	 * The audit log of this server, a JSON event per line.
	 * @throws IllegalStateException if the control plane has no audit policy
	 */
	public Path auditLog() {
		if (this.files.auditPolicy() == null) {
			throw new IllegalStateException("No audit log: start the control plane with 'auditPolicy'");
		}
		return this.auditLog;
	}

	private void awaitReady(ManagedProcess process) {
		// The certificate is written before the port opens, at the first start only.
		Waits.untilReady(process, START_TIMEOUT, () -> Files.exists(this.files.certificates().resolve("apiserver.crt"))
				&& Files.exists(this.files.certificates().resolve("apiserver.key")));
		ConfigBuilder config = Access.config(url(), this.files.certificate(), this.files.adminToken())
			.withRequestRetryBackoffLimit(0)
			.withConnectionTimeout(PROBE_TIMEOUT_MILLIS)
			.withRequestTimeout(PROBE_TIMEOUT_MILLIS);
		try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config.build()).build()) {
			Waits.untilReady(process, START_TIMEOUT, () -> answers(client));
		}
	}

	private static boolean answers(KubernetesClient client) {
		try {
			return "ok".equals(client.raw("/readyz")) && client.namespaces().withName("default").get() != null;
		}
		catch (KubernetesClientException ex) {
			return false;
		}
	}

}
