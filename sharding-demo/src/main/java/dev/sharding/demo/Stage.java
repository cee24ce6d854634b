package dev.sharding.demo;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.sharding.judge.JudgeMain;
import dev.sharding.test.Access;
import dev.sharding.test.ApiServer;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.Etcd;
import dev.sharding.test.TcpProxy;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;

/**
 * Where the play takes place: an API server with an audit log, the ControllerRing, and a
 * user for each process.
 */
public final class Stage implements AutoCloseable {

	private static final String RING = "example/ring.yaml";

	private static final String CRD = "dev/sharding/internal/sharder/ring/controllerrings.yaml";

	private final ControlPlane controlPlane;

	private final Programs programs;

	private final Path logs;

	private final Map<String, Rights> rights = new ConcurrentHashMap<>();

	private final AtomicInteger processes = new AtomicInteger();

	private @Nullable Roles roles;

	private @Nullable Marks marks;

	private Stage(ControlPlane controlPlane, Programs programs, Path logs) {
		this.controlPlane = controlPlane;
		this.programs = programs;
		this.logs = logs;
	}

	/**
	 * Starts the API server, installing it first where that has not happened yet.
	 * @param logs an empty folder for the logs of the processes
	 */
	public static Stage open(Programs programs, Path logs) throws IOException {
		return new Stage(ControlPlane.builder().auditPolicy(JudgeMain.auditPolicy()).start(), programs, logs);
	}

	/** Installs the namespaces, the ring and the roles. */
	void furnish() throws IOException {
		String example = Files.readString(this.programs.config().resolve(RING));
		furnish(List.of(RingSite.DEMO), (ring) -> example);
		this.roles = Roles.install(admin(), this.programs.config(), List.of(RingSite.DEMO));
	}

	/**
	 * Installs these rings, each with its own namespaces, and the roles.
	 * @param shard what the shards will be
	 */
	public void furnish(List<RingSite> rings, ShardProgram shard) throws IOException {
		String manifest = shard.hasMore() ? ShardProgram.manifestOfMore("ring.yaml")
				: Files.readString(this.programs.config().resolve(RING));
		if (shard.hasMore()) {
			admin().load(stream(ShardProgram.manifestOfMore("definitions.yaml"))).create();
		}
		furnish(rings, (ring) -> ring.manifest(manifest));
		this.roles = Roles.install(admin(), this.programs.config(), rings);
		if (shard.hasMore()) {
			this.roles.installMore(ShardProgram.manifestOfMore("roles.yaml"));
		}
	}

	private static InputStream stream(String manifest) {
		return new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8));
	}

	private void furnish(List<RingSite> rings, Function<RingSite, String> manifest) throws IOException {
		KubernetesClient admin = admin();
		namespace(Names.SYSTEM_NAMESPACE, Map.of());
		rings.forEach((ring) -> ring.namespaces().forEach((name) -> namespace(name, ring.labels())));
		try (InputStream crd = Programs.open(this.programs.sharder(), CRD)) {
			admin.load(crd).create();
		}
		for (RingSite ring : rings) {
			Waiting.until("the API server to know ControllerRings", Duration.ofSeconds(30),
					() -> created(admin, manifest.apply(ring)));
		}
		Files.writeString(kubeconfig(), this.controlPlane.kubeconfig());
		this.marks = new Marks(user("conductor", Permissions.conductor()).client());
	}

	private void namespace(String name, Map<String, String> labels) {
		admin()
			.resource(new NamespaceBuilder().withNewMetadata().withName(name).withLabels(labels).endMetadata().build())
			.create();
	}

	/** Lets the sharders that start from now on serve the webhook. */
	public void admitWebhook() throws IOException {
		roles().installWebhook(this.programs.config());
	}

	/** The folder of the manifests. */
	Path config() {
		return this.programs.config();
	}

	/** Gives the processes the rights of other manifests, also those that run already. */
	void permit(Path config) throws IOException {
		roles().apply(config);
	}

	/** To write into the audit log what the judge has to know. */
	public Marks marks() {
		return furnished(this.marks);
	}

	private Roles roles() {
		return furnished(this.roles);
	}

	private static <T> T furnished(@Nullable T found) {
		if (found == null) {
			throw new IllegalStateException("The stage is not furnished");
		}
		return found;
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

	/** May do everything. */
	public KubernetesClient admin() {
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

	/** The kubeconfig of the administrator. */
	public Path kubeconfig() {
		return this.logs.resolve("kubeconfig");
	}

	/** The folder for the logs of the processes. */
	public Path logs() {
		return this.logs;
	}

	/** What the judge reads. */
	public Path auditLog() {
		return this.controlPlane.apiServer().auditLog();
	}

	/** What the API server says of itself. */
	public Path serverLog() {
		return auditLog().resolveSibling("kube-apiserver.log");
	}

	/** A user who may do what the rules say. */
	public Access user(String name, PolicyRule... rules) {
		return this.controlPlane.user(name, rules);
	}

	/** Fails if the API server or etcd has ended. */
	public void checkAlive() {
		this.controlPlane.checkAlive();
	}

	/** Starts a sharder as a user of its own. */
	public Actor startSharder(Role role) throws IOException {
		Map<String, String> settings = new LinkedHashMap<>(Map.of("SERVER_PORT", "0",
				"SHARDING_SHARDER_LEADERELECTION_LEASEDURATION", Names.SHARDER_LEASE.toSeconds() + "s"));
		settings.putAll(role.settings());
		String user = "sharder.process-" + this.processes.incrementAndGet();
		settings.put("KUBECONFIG", kubeconfig(user, role, roles()::bindSharder));
		return Actor.start(role.name(), user, programs(role).runSharder(role.main()), settings, this.logs,
				stops(user, Names.MOVES));
	}

	/** Starts a shard as a user of its own. */
	Actor startShard(Role role) throws IOException {
		return startShard(role, RingSite.DEMO);
	}

	/** Starts a shard of a ring as a user of its own. */
	public Actor startShard(Role role, RingSite ring) throws IOException {
		Map<String, String> settings = new LinkedHashMap<>(shardSettings(role.name()));
		settings.put("SHARDING_RING", ring.name());
		settings.put("SHARDING_LEASE_NAMESPACE", ring.leaseNamespace());
		settings.putAll(role.settings());
		String user = "shard." + role.name() + ".process-" + this.processes.incrementAndGet();
		settings.put("KUBECONFIG", kubeconfig(user, role, (access) -> roles().bindShard(access, ring)));
		settings.put("DEMO_USER", user);
		settings.values().removeIf(String::isEmpty);
		List<String> command = (role.other() != null)
				? List.of(role.other().toString(), "--stamp", "--lease-duration=" + Names.LEASE.toSeconds() + "s",
						"--namespace=" + ring.leaseNamespace(), "--ring=" + ring.name(), "--shard=" + role.name(),
						"--lease-namespace=" + ring.leaseNamespace())
				: role.command(programs(role).runShard(role.main()));
		return Actor.start(role.name(), user, command, settings, this.logs, stops(user, Names.WORKERS));
	}

	private Programs programs(Role role) {
		return Objects.requireNonNullElse(role.programs(), this.programs);
	}

	/** What was on its way when a process is stopped may come late: one for a worker. */
	private Actor.Stops stops(String user, int workers) {
		return new Actor.Stops() {

			@Override
			public void pausing() {
				marks().stopped(user, workers);
			}

			@Override
			public void resumed() {
				marks().resumed(user);
			}

		};
	}

	private static Map<String, String> shardSettings(String name) {
		return Map.of("SERVER_PORT", "0", "SHARDING_RING", Names.RING, "SHARDING_SHARD_NAME", name,
				"SHARDING_LEASE_NAMESPACE", Names.NAMESPACE, "SHARDING_LEASE_DURATION", Names.LEASE.toSeconds() + "s",
				"SHARDING_RECONCILE_CONCURRENCY", String.valueOf(Names.WORKERS), "CHECKSUMS_STAMP", "true");
	}

	/** The command that starts a further shard from another terminal. */
	String commandForShard(String name) {
		StringBuilder command = new StringBuilder("KUBECONFIG=").append(kubeconfig());
		new TreeMap<>(shardSettings(name))
			.forEach((key, value) -> command.append(' ').append(key).append('=').append(value));
		return command.append(" java -jar ").append(this.programs.shard()).toString();
	}

	/** Each process is a user of its own, so that the judge can tell them apart. */
	private String kubeconfig(String user, Role role, Consumer<Access> permit) {
		Access access = user(user);
		permit.accept(access);
		this.rights.put(user, new Rights(access, permit));
		return ((role.link() != null) ? access.through(role.link()) : access).kubeconfigFile().toString();
	}

	/** Takes all rights from a process. */
	public void revoke(Actor actor) {
		roles().unbind(rights(actor).access());
	}

	/** Gives a process its rights back. */
	public void grant(Actor actor) {
		Rights rights = rights(actor);
		rights.permit().accept(rights.access());
	}

	private Rights rights(Actor actor) {
		return Objects.requireNonNull(this.rights.get(actor.user()), actor.name());
	}

	/** A network to the API server that can be disturbed. Close it. */
	public TcpProxy link() {
		return TcpProxy.to(this.controlPlane.apiServer());
	}

	/** The API server. */
	public ApiServer apiServer() {
		return this.controlPlane.apiServer();
	}

	/** Its store. */
	public Etcd etcd() {
		return this.controlPlane.etcd();
	}

	@Override
	public void close() {
		this.controlPlane.close();
	}

	/** What a process may do. */
	private record Rights(Access access, Consumer<Access> permit) {
	}

}
