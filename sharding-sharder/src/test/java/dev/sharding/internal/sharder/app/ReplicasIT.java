package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

import dev.sharding.internal.sharder.Promptness;
import dev.sharding.internal.sharder.SharderUser;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneBuilder;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.CustomResourceDefinitions;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two replicas of the program behind a Service, as processes of their own, under exactly
 * the roles of the manifests. All the while objects are created, and authorities and
 * certificates are replaced; one of the replicas logs everything that can be logged.
 */
class ReplicasIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension
		.own((builder) -> builder.auditPolicy(ControlPlaneBuilder.AUDIT_EVERYTHING));

	private static final String NAMESPACE = "checksums";

	private static final Duration LIMIT = Duration.ofMinutes(4);

	private static final Duration MOMENT = Duration.ofMillis(20);

	private static final String LABEL = ShardingLabels.shard("checksums");

	private static final String DATA = "c2VjcmV0LW9mLXRoZS11c2Vy";

	/* The API server waits no longer for a webhook; then the create passes. */
	private static final Duration WEBHOOK_MAY_TAKE = Duration.ofSeconds(5);

	/*
	 * No resync comes in time to stand in for the watch. Within the overlap the leader
	 * has to write a new authority into the configuration, also where a write fails.
	 */
	private static final String[] ARGUMENTS = { "--sharding.sharder.sync-period=1h",
			"--sharding.sharder.webhook.secret.authority-validity=72s",
			"--sharding.sharder.webhook.secret.validity=60s", "--sharding.sharder.webhook.secret.overlap=10s" };

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final Path folder = Path.of("target", "replicas");

	private final List<Replica> replicas = new ArrayList<>();

	private final List<String> created = new CopyOnWriteArrayList<>();

	/* Whether both replicas are up, and none is about to go. */
	private final AtomicBoolean calm = new AtomicBoolean();

	private final AtomicInteger createdInCalm = new AtomicInteger();

	private final List<String> missedInCalm = new CopyOnWriteArrayList<>();

	private final List<String> failures = new CopyOnWriteArrayList<>();

	private final AtomicInteger probes = new AtomicInteger();

	private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

	private Image image;

	private ServiceStandIn service;

	private Path kubeconfig;

	private String token;

	ReplicasIT(ControlPlane controlPlane, KubernetesClient client) {
		this.controlPlane = controlPlane;
		this.client = client;
	}

	@AfterEach
	void close() throws IOException {
		this.executor.shutdownNow();
		this.replicas.forEach(Replica::close);
		if (this.service != null) {
			this.service.close();
		}
	}

	@Test
	void noCreateFailsWhileReplicasAreRestartedAndKilledAndWithoutTheWebhookTheWatchAssigns() throws Exception {
		install();
		Replica first = start("INFO");
		Replica second = start("INFO");
		awaitReady(first);
		awaitReady(second);
		shard("shard-a");
		shard("shard-b");
		await().until(() -> shardOf(create("probe-" + this.probes.incrementAndGet())) != null);
		try (KeyWatch keys = new KeyWatch(this.client)) {
			// What the webhook misses, the failure policy Ignore lets pass: not one,
			// while
			// nobody is restarted and the certificates change.
			this.calm.set(true);
			Future<?> load = this.executor.scheduleWithFixedDelay(this::createNext, 0, 50, TimeUnit.MILLISECONDS);

			// One after the other is restarted.
			restart(first, "INFO");
			restart(second, "TRACE");

			// What the webhook misses, the failure policy Ignore lets pass: nothing while
			// no
			// replica goes, although the certificates change.
			await().until(() -> keys.rotations() >= 3);
			this.calm.set(false);
			assertThat(this.createdInCalm).hasValueGreaterThan(50);
			assertThat(this.missedInCalm).isEmpty();

			// The leader is killed; the other one takes over.
			await().until(() -> leaders().size() == 1);
			Replica leader = leaders().get(0);
			this.service.remove(leader.webhookPort());
			this.replicas.remove(leader);
			leader.kill();
			await().until(() -> leaders().size() == 1);
			Replica successor = leaders().get(0);

			// It serves with certificates that others made.
			await().until(() -> shardOf(create("probe-" + this.probes.incrementAndGet())) != null);

			// Nobody reaches the webhook: created, without its label, of a shard that
			// stops.
			this.service.fail();
			assertThat(shardOf(create("without-webhook"))).isNull();
			await().until(() -> shardNow("without-webhook") != null);
			assignsWithinASecondWithoutTheWebhook();
			release("shard-a");
			await().until(() -> shardNow("without-webhook").equals("shard-b"));

			load.cancel(false);
			assertThat(this.failures).isEmpty();
			assertThat(this.created).hasSizeGreaterThan(100);
			await().untilAsserted(() -> assertThat(this.client.secrets().inNamespace(NAMESPACE).list().getItems())
				.allSatisfy((secret) -> assertThat(shardOf(secret)).isEqualTo("shard-b")));
			showsHealthOnly(successor);
			keepsSecrets(keys);
		}
		assertThat(refused()).isEmpty();
	}

	private void assignsWithinASecondWithoutTheWebhook() {
		withinASecond((attempt) -> create("unaided-" + attempt), (attempt) -> shardNow("unaided-" + attempt) != null);
		withinASecond((attempt) -> edit("unaided-1", null), (attempt) -> shardNow("unaided-1") != null);
		AtomicReference<String> moving = new AtomicReference<>();
		withinASecond((attempt) -> {
			String passing = "shard-passing-" + attempt;
			shard(passing);
			moving.set(createFor(passing));
			release(passing);
		}, (attempt) -> !("shard-passing-" + attempt).equals(shardNow(moving.get())));
	}

	/* Returns the name of a new object that the shard got. */
	private String createFor(String shard) {
		AtomicInteger names = new AtomicInteger();
		return Awaitility.await().atMost(LIMIT).pollInterval(MOMENT).until(() -> {
			String next = "of-" + shard + "-" + names.incrementAndGet();
			create(next);
			await().until(() -> shardNow(next) != null);
			return next;
		}, (next) -> shard.equals(shardNow(next)));
	}

	private void withinASecond(IntConsumer write, IntPredicate done) {
		Promptness.assertWithinASecond(this.client, NAMESPACE, write, done);
	}

	private static void showsHealthOnly(Replica replica) throws IOException, InterruptedException {
		Object links = Serialization.unmarshal(replica.get("/actuator").body(), Map.class).get("_links");
		assertThat((Map<?, ?>) links).isNotEmpty()
			.allSatisfy((name, link) -> assertThat((String) name).matches("self|health.*"));
		for (String endpoint : List.of("env", "metrics", "prometheus")) {
			assertThat(replica.get("/actuator/" + endpoint).statusCode()).isEqualTo(404);
		}
	}

	private void keepsSecrets(KeyWatch keys) throws IOException {
		List<String> secrets = new ArrayList<>(keys.traces());
		secrets.add(this.token.substring(this.token.lastIndexOf('.') + 1));
		secrets.add(DATA);
		assertThat(secrets).hasSizeGreaterThan(6);
		boolean traced = false;
		try (var logs = Files.newDirectoryStream(this.folder, "*.log")) {
			for (Path log : logs) {
				String text = Files.readString(log);
				traced |= text.contains(" TRACE ");
				for (String secret : secrets) {
					assertThat(text.contains(secret)).as("'%s' is in %s", secret, log).isFalse();
				}
			}
		}
		assertThat(traced).isTrue();
	}

	private void install() throws IOException, InterruptedException {
		CustomResourceDefinitions.apply(this.client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
		this.client.resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
			.create();
		await().until(() -> this.client.load(Files.newInputStream(Path.of("..", "config", "example", "ring.yaml")))
			.serverSideApply() != null);
		SharderUser.install(this.client);
		this.token = this.client.serviceAccounts()
			.inNamespace("sharding-system")
			.withName("sharder")
			.tokenRequest(new TokenRequestBuilder().withNewSpec().withExpirationSeconds(3600L).endSpec().build())
			.getStatus()
			.getToken();
		FileSystemUtils.deleteRecursively(this.folder);
		this.image = Image.build(Files.createDirectories(this.folder.resolve("image")));
		this.kubeconfig = Files.writeString(this.folder.resolve("kubeconfig.yaml"),
				this.controlPlane.kubeconfig().replaceAll("token: .*", "token: " + this.token));
		this.service = new ServiceStandIn();
	}

	private Replica start(String level) throws IOException {
		List<String> arguments = new ArrayList<>(List.of(ARGUMENTS));
		arguments.add("--logging.level.root=" + level);
		Replica replica = new Replica(this.image, this.folder.resolve("replica-" + System.nanoTime() + ".log"),
				this.kubeconfig, "https://127.0.0.1:" + this.service.port(), arguments);
		this.replicas.add(replica);
		return replica;
	}

	private void awaitReady(Replica replica) {
		await().until(replica::isReady);
		this.service.add(replica.webhookPort());
	}

	/*
	 * As a Deployment does with maxSurge 1: the new one is ready before the old one goes.
	 */
	private void restart(Replica old, String level) throws IOException, InterruptedException {
		awaitReady(start(level));
		this.calm.set(false);
		this.service.remove(old.webhookPort());
		this.replicas.remove(old);
		old.stop();
		await().until(() -> shardOf(create("probe-" + this.probes.incrementAndGet())) != null);
		this.calm.set(true);
	}

	private List<Replica> leaders() throws IOException, InterruptedException {
		List<Replica> leaders = new ArrayList<>();
		for (Replica replica : this.replicas) {
			if (replica.isLeader()) {
				leaders.add(replica);
			}
		}
		return leaders;
	}

	private void createNext() {
		String name = "s-" + this.created.size();
		this.created.add(name);
		try {
			boolean before = this.calm.get();
			long began = System.nanoTime();
			Secret secret = create(name);
			// What passed as a busy machine did not answer in time says nothing of
			// certificates.
			boolean inTime = System.nanoTime() - began < WEBHOOK_MAY_TAKE.toNanos();
			if (before && this.calm.get() && inTime) {
				this.createdInCalm.incrementAndGet();
				if (shardOf(secret) == null) {
					this.missedInCalm.add(name);
				}
			}
		}
		catch (RuntimeException ex) {
			this.failures.add(name + ": " + ex);
		}
	}

	private Secret create(String name) {
		return this.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(NAMESPACE)
				.withName(name)
				.endMetadata()
				.withData(Map.of("password", DATA))
				.build())
			.create();
	}

	private void edit(String name, String shard) {
		this.client.secrets().inNamespace(NAMESPACE).withName(name).edit((secret) -> {
			secret.getMetadata().getLabels().put(LABEL, shard);
			return secret;
		});
	}

	private String shardNow(String name) {
		return shardOf(this.client.secrets().inNamespace(NAMESPACE).withName(name).get());
	}

	private static String shardOf(Secret secret) {
		Map<String, String> labels = secret.getMetadata().getLabels();
		return (labels != null) ? labels.get(LABEL) : null;
	}

	private void shard(String name) {
		ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
		this.client.resource(new LeaseBuilder()
			.withMetadata(new ObjectMetaBuilder().withNamespace(NAMESPACE)
				.withName(name)
				.addToLabels(ShardingLabels.LEASE_RING, "checksums")
				.addToAnnotations(ShardingLabels.INSTANCE_ID, "hand-made")
				.build())
			.withNewSpec()
			.withHolderIdentity(name)
			.withLeaseDurationSeconds(600)
			.withAcquireTime(now)
			.withRenewTime(now)
			.endSpec()
			.build()).create();
	}

	/* As a shard does that stops. */
	private void release(String name) {
		await().until(() -> this.client.leases().inNamespace(NAMESPACE).withName(name).edit((lease) -> {
			ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
			lease.getSpec().setHolderIdentity("");
			lease.getSpec().setLeaseDurationSeconds(1);
			lease.getSpec().setAcquireTime(now);
			lease.getSpec().setRenewTime(now);
			return lease;
		}) != null);
	}

	/* What the sharder asked for and its roles do not give it. */
	private List<String> refused() throws IOException {
		return Files.readAllLines(this.controlPlane.apiServer().auditLog())
			.stream()
			.filter((line) -> line.contains("\"username\":\"" + SharderUser.NAME + "\"")
					&& line.contains("\"code\":403"))
			.toList();
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofMillis(100)).ignoreExceptions();
	}

}
