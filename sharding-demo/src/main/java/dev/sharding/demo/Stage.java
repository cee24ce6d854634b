package dev.sharding.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.jar.JarFile;

import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * Where the play takes place: an API server with an audit log, the ControllerRing, and a
 * user for each process.
 */
final class Stage implements AutoCloseable {

	private static final String CRD = "BOOT-INF/classes/dev/sharding/sharder/ring/controllerrings.yaml";

	private final ControlPlane controlPlane;

	private final Programs programs;

	private final Path logs;

	private Stage(ControlPlane controlPlane, Programs programs, Path logs) {
		this.controlPlane = controlPlane;
		this.programs = programs;
		this.logs = logs;
	}

	/**
	 * Starts the API server, installing it first where that has not happened yet.
	 * @param logs an empty folder for the logs of the processes
	 */
	static Stage open(Programs programs, Path logs) throws IOException {
		return new Stage(ControlPlane.builder().auditPolicy(resource("audit-policy.yaml")).start(), programs, logs);
	}

	/** Installs the namespaces and the ring. */
	void furnish() throws IOException {
		KubernetesClient admin = admin();
		for (String namespace : new String[] { Names.NAMESPACE, Names.SYSTEM_NAMESPACE }) {
			admin.resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build()).create();
		}
		try (JarFile jar = new JarFile(this.programs.sharder().toFile());
				InputStream crd = jar.getInputStream(jar.getEntry(CRD))) {
			admin.load(crd).create();
		}
		String ring = resource("ring.yaml");
		Waiting.until("the API server to know ControllerRings", Duration.ofSeconds(30), () -> created(admin, ring));
		Files.writeString(kubeconfig(), this.controlPlane.kubeconfig());
	}

	private static boolean created(KubernetesClient admin, String manifest) {
		try {
			admin.resource(manifest).create();
			return true;
		}
		catch (KubernetesClientException ex) {
			return false;
		}
	}

	KubernetesClient admin() {
		return this.controlPlane.client();
	}

	/** How many shards are available by the status that the sharder wrote on the ring. */
	int availableShards() {
		GenericKubernetesResource ring = admin()
			.genericKubernetesResources("sharding.timebertt.dev/v1alpha1", "ControllerRing")
			.withName(Names.RING)
			.get();
		Object available = (ring != null) ? ring.get("status", "availableShards") : null;
		return (available instanceof Number number) ? number.intValue() : 0;
	}

	Path kubeconfig() {
		return this.logs.resolve("kubeconfig");
	}

	Path logs() {
		return this.logs;
	}

	Path auditLog() {
		return this.controlPlane.apiServer().auditLog();
	}

	Access user(String name, PolicyRule... rules) {
		return this.controlPlane.user(name, rules);
	}

	/** Fails if the API server or etcd has ended. */
	void checkAlive() {
		this.controlPlane.checkAlive();
	}

	Actor startSharder() throws IOException {
		Map<String, String> settings = Map.of("KUBECONFIG",
				user("sharder", Permissions.sharder()).kubeconfigFile().toString(), "SERVER_PORT", "0",
				"SHARDING_SHARDER_LEADERELECTION_LEASEDURATION", "3s");
		return Actor.start("sharder", this.programs.runSharder(), settings, this.logs);
	}

	/** Starts a shard as a user of its own. */
	Actor startShard(String name, boolean broken) throws IOException {
		Access user = user("shard." + name, Permissions.shard());
		Map<String, String> settings = new LinkedHashMap<>(
				Map.of("KUBECONFIG", user.kubeconfigFile().toString(), "SERVER_PORT", "0", "SHARDING_RING", Names.RING,
						"SHARDING_SHARD_NAME", name, "SHARDING_LEASE_NAMESPACE", Names.NAMESPACE,
						"SHARDING_LEASE_DURATION", "3s", "CHECKSUMS_STAMP", "true"));
		if (broken) {
			// Its updates are slow: enough of them at a time to keep up.
			settings.put("SHARDING_RECONCILE_CONCURRENCY", "160");
		}
		return Actor.start(name, broken ? this.programs.runBrokenShard() : this.programs.runShard(), settings,
				this.logs);
	}

	private static String resource(String name) throws IOException {
		try (InputStream file = Stage.class.getResourceAsStream(name)) {
			if (file == null) {
				throw new IllegalStateException("'" + name + "' is not in the jar");
			}
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	@Override
	public void close() {
		this.controlPlane.close();
	}

}
