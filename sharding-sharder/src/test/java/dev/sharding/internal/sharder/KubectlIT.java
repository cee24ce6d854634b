package dev.sharding.internal.sharder;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.sharding.controlplane.ControlPlaneBinaries;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.cli.ShardingCommand;
import dev.sharding.internal.sharder.tls.CertificateTerms;
import dev.sharding.internal.sharder.tls.ServingCertificate;
import dev.sharding.internal.sharder.tls.TestCertificates;
import dev.sharding.protocol.RingRoles;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The command line, on a ring with a sharder and two shards.
 */
@ControlPlaneTest
class KubectlIT {

	private static final String RBAC = "rbac.authorization.k8s.io";

	private static final String RING = "seen";

	private static final int SECRETS = 24;

	private final ControlPlane controlPlane;

	private final World world;

	private KubernetesClient user;

	private ElectedSharder sharder;

	KubectlIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.world = new World(client, namespace, RING);
	}

	@BeforeEach
	void create() {
		removeWhatOthersLeft();
		this.world.withRing();
		for (String shard : List.of("shard-0", "shard-1")) {
			this.world.renewing(shard, 15);
			pod(shard);
		}
		SharderUser.install(this.world.client);
		bind("controller", "sharding:shard:" + RING);
		bind("sharder", "sharding:sharder", "sharding:sharder-webhook", "sharding:controllerring:" + RING);
		bindLeases();
		this.world.client
			.resource(new ServiceAccountBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName("sharder")
				.endMetadata()
				.build())
			.serverSideApply();
		this.user = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(this.world.client.getConfiguration())
				.withImpersonateUsername("system:serviceaccount:" + this.world.namespace + ":sharder")
				.build())
			.build();
		webhook(Instant.now());
		for (int i = 0; i < SECRETS; i++) {
			Secret secret = this.world.secret("s-" + i);
			this.world.configMap("s-" + i, secret, Map.of());
		}
		this.sharder = new ElectedSharder(this.world.client, World.AT_ONCE,
				ElectionOptions.DEFAULT.withNamespace(this.world.namespace)
					.withTimings(RenewalTimings.of(Duration.ofSeconds(6), null, null)),
				this.world.metrics);
	}

	@AfterEach
	void close() {
		this.sharder.close();
		this.user.close();
		this.world.client.rbac().clusterRoles().withName("sharding:controllerring:" + RING).delete();
		this.world.client.admissionRegistration()
			.v1()
			.mutatingWebhookConfigurations()
			.withName("controllerring-" + RING)
			.delete();
		this.world.close();
	}

	@Test
	@DisplayName("doctor finds nothing on a healthy ring; then an orphan, a stuck drain, a phantom Lease, a revoked right and an expired certificate")
	void doctorFindsWhatIsWrong() {
		start();
		Answer healthy = run("doctor", RING, "--patience", "PT3S", "--sharder-namespace", this.world.namespace);
		assertThat(healthy.out).isEqualTo("All is well with 1 ring(s)\n");
		assertThat(healthy.code).isZero();
		this.sharder.close();
		String stuck = this.world.secretOf("shard-0", "shard-0", "shard-1");
		label(stuck, "shard-1");
		String orphan = stuck.equals("s-3") ? "s-4" : "s-3";
		this.world.removeLabels(orphan);
		phantom();
		revokePatch();
		webhook(Instant.now().minus(Duration.ofDays(10_000)));
		Answer sick = run("doctor", RING, "--patience", "PT3S", "--sharder-namespace", this.world.namespace);
		assertThat(sick.code).isEqualTo(1);
		assertThat(sick.out).contains("objects: secrets " + this.world.namespace + "/" + orphan + " without owner for")
			.contains("objects: secrets " + this.world.namespace + "/" + stuck + " not let go of by shard-1")
			.contains("leases: Lease " + this.world.namespace + "/phantom should not be believed")
			.contains("rights: system:serviceaccount:" + this.world.namespace + ":sharder may not patch secrets")
			.contains("webhook: Secret " + this.world.namespace + "/sharder-webhook its certificate expired at")
			.contains("webhook: MutatingWebhookConfiguration controllerring-seen its caBundle expired at")
			.contains("sharder: Lease " + this.world.namespace + "/sharder no sharder leads")
			.contains("problem(s) found");
		assertThat(sick.out).doesNotContain("s3cr3t").doesNotContain("PRIVATE");
		assertThat(run("doctor", RING, "--patience", "PT3S", "--without-election", "--sharder-account",
				"elsewhere/sharder", "--sharder-namespace", this.world.namespace).out)
			.contains("NOTE     seen rights: system:serviceaccount:elsewhere:sharder is not there")
			.doesNotContain("no sharder leads");
		Answer json = run("doctor", RING, "--patience", "PT0S", "-o", "json", "--sharder-namespace",
				this.world.namespace);
		assertThat(json.code).isEqualTo(1);
		assertThat(this.world.client.getKubernetesSerialization().unmarshal(json.out, Map.class))
			.containsEntry("healthy", false);
	}

	@Test
	@DisplayName("Where the policy for Leases is installed, doctor finds who may not join a ring")
	void doctorFindsWhoMayNotJoin() throws Exception {
		start();
		revokeJoin();
		World.await().untilAsserted(() -> assertThat(doctor().out).isEqualTo("All is well with 1 ring(s)\n"));
		List<HasMetadata> policy;
		try (InputStream file = Files.newInputStream(Path.of("..", "config", "policy", "lease-policy.yaml"))) {
			policy = this.world.client.load(file).items();
		}
		try {
			policy.forEach((part) -> this.world.client.resource(part).serverSideApply());
			String account = "PROBLEM  seen rights: system:serviceaccount:" + this.world.namespace;
			World.await()
				.untilAsserted(() -> assertThat(doctor().out)
					.contains(account + ":controller may not join controllerrings.sharding.timebertt.dev\n")
					.contains(account + ":sharder may not join controllerrings.sharding.timebertt.dev\n")
					.contains("2 problem(s) found"));
			SharderUser.install(this.world.client);
			bind("sharder", "sharding:sharder");
			World.await().untilAsserted(() -> assertThat(doctor().out).isEqualTo("All is well with 1 ring(s)\n"));
		}
		finally {
			policy.forEach((part) -> this.world.client.resource(part).delete());
		}
	}

	/* Other rings of the cluster have the sharder's usual role. */
	private void revokeJoin() {
		ClusterRole shards = (ClusterRole) RingRoles.of(this.world.ring())
			.stream()
			.filter((role) -> role.getMetadata().getName().equals("sharding:shard-lease:" + RING))
			.findFirst()
			.orElseThrow();
		shards.getRules().removeIf((rule) -> rule.getVerbs().contains("join"));
		this.world.client.resource(shards).serverSideApply();
		ClusterRole sharder = this.world.client.rbac().clusterRoles().withName("sharding:sharder").get();
		sharder.getRules().removeIf((rule) -> rule.getVerbs().contains("join"));
		this.world.client
			.resource(new ClusterRoleBuilder().withNewMetadata()
				.withName("sharding:sharder-without-join")
				.endMetadata()
				.withRules(sharder.getRules())
				.build())
			.serverSideApply();
		bind("sharder", "sharding:sharder-without-join");
		this.world.client.rbac().clusterRoleBindings().withName(RING + ":sharder:sharding:sharder").delete();
	}

	private Answer doctor() {
		return run("doctor", RING, "--patience", "PT3S", "--sharder-namespace", this.world.namespace);
	}

	@Test
	@DisplayName("status, explain, what-if and moves tell what the ring says; cordon and pause change it")
	void showsAndChanges() {
		start();
		assertThat(run("status").out).contains("RING").containsPattern("seen +true +2 +2 +false");
		Answer status = run("status", RING, "--objects");
		assertThat(status.out).contains("Ring seen: ready true, 2 of 2 shards available")
			.containsPattern("shard-0 +" + this.world.namespace + " +ready")
			.contains("secrets=");
		String its = this.world.secretOf("shard-1", "shard-0", "shard-1");
		Answer explained = run("explain", RING, "secrets", this.world.namespace + "/" + its);
		assertThat(explained.out).contains("Owner:     shard-1, since 20")
			.contains("Key:       /Secret/" + this.world.namespace + "/" + its)
			.contains("Hash:      "
					+ "%016x".formatted(HashRing.hash(new ShardingKey("", "Secret", this.world.namespace, its))))
			.contains("it is where it belongs")
			.containsPattern("shard-0 +ready +[0-9a-f]{16} +its next token comes later");
		World.await().untilAsserted(() -> {
			Map<?, ?> whatIf = json(run("what-if", RING, "--without", "shard-1", "-o", "json"));
			long moving = Stream.of(this.world.secretShards(), this.world.configMapShards())
				.flatMap((shards) -> shards.values().stream())
				.filter("shard-1"::equals)
				.count();
			assertThat(whatIf.get("moving")).isEqualTo((int) moving);
			assertThat(whatIf.get("objects")).isEqualTo(SECRETS * 2 + 1);
		});
		assertThat(run("what-if", RING, "--shards", "3").out).contains("to shards [shard-0, shard-1, shard-2]");
		assertThat(run("what-if", RING).code).isEqualTo(2);
		assertThat(run("moves", RING).out).contains("Nothing is changing hands");
		assertThat(run("pause", RING).out).contains("Ring seen is paused");
		assertThat(run("cordon", "shard-1", "-n", this.world.namespace).out)
			.contains("Shard shard-1 of ring seen is cordoned");
		World.await().untilAsserted(() -> {
			Answer noted = run("doctor", RING, "--patience", "PT1S", "--sharder-namespace", this.world.namespace);
			assertThat(noted.out).contains("condition MovesAllowed Paused")
				.contains("condition ShardsUncordoned Cordoned");
			assertThat(noted.code).isZero();
		});
		assertThat(run("explain", RING, "secrets", this.world.namespace + "/" + its).out)
			.contains("another shard should own it, but the ring is paused")
			.contains("it is cordoned");
		assertThat(run("resume", RING).code).isZero();
		World.await()
			.untilAsserted(() -> assertThat(run("moves", RING, "-o", "yaml").out).contains("state: \"draining\"")
				.contains("from: \"shard-1\""));
		assertThat(run("uncordon", "shard-1", "-n", this.world.namespace).code).isZero();
		assertThat(this.world.lease("shard-1").getMetadata().getAnnotations())
			.doesNotContainKey(ShardingLabels.CORDONED);
		assertThat(run("roles", RING).out).contains("sharding:shard-lease:seen").doesNotContain("widgets");
		this.world.client.configMaps().inNamespace(this.world.namespace).withName("sharder-rings").edit((account) -> {
			account.getData().merge(RING, "widgets.example.com", (known, former) -> known + "," + former);
			return account;
		});
		// The sharder has labels to take off there, and no shard anything to do.
		assertThat(run("roles", RING, "--sharder-namespace", this.world.namespace).out).containsOnlyOnce("\"widgets\"");
		assertThat(run("explain", RING, "pods", "a/b").code).isEqualTo(3);
		Answer help = answer("--help");
		assertThat(help.err).isEmpty();
		assertThat(help.out).startsWith("Usage: kubectl sharding").contains("doctor");
		assertThat(complete("wh")).isEqualTo("what-if\n:4\n");
		assertThat(complete("doctor", "")).contains(RING + "\n").contains("--patience\n");
		assertThat(complete("cordon", "shard-")).contains("shard-0\nshard-1\n");
		assertThat(complete("status", "-o", "")).isEqualTo("table\njson\nyaml\n:4\n");
		assertThat(run("status", "unknown").err).contains("There is no ControllerRing 'unknown'");
		assertThat(run("cordon", "unknown").err).contains("There is no Lease of a shard 'unknown'");
	}

	@Test
	@DisplayName("kubectl finds the plugin and its completion on the PATH, and the plugin is the packaged jar")
	void runsAsAPlugin(@TempDir Path folder) throws Exception {
		start();
		assertThat(kubectl(folder, "sharding", "status")).containsPattern("seen +true +2 +2 +false");
		assertThat(kubectl(folder, "sharding", "status", RING, "-o", "json")).startsWith("{\"ring\":\"seen\"");
		assertThat(kubectl(folder, "__complete", "sharding", "wh")).contains("what-if\n").contains(":4");
	}

	private String kubectl(Path folder, String... args) throws Exception {
		Path jar;
		try (Stream<Path> files = Files.list(Path.of("target"))) {
			jar = files.filter((file) -> file.toString().endsWith("-exec.jar")).findFirst().orElseThrow();
		}
		List<String> command = new ArrayList<>(
				List.of(ControlPlaneBinaries.locate().orElseThrow().kubectl().toString()));
		command.addAll(List.of(args));
		Path out = Files.createTempFile(folder, "out", ".txt");
		ProcessBuilder program = new ProcessBuilder(command).redirectOutput(out.toFile())
			.redirectError(folder.resolve("err.txt").toFile());
		program.environment().put("KUBECONFIG", this.controlPlane.admin().kubeconfigFile().toString());
		program.environment().put("SHARDING_JAR", jar.toAbsolutePath().toString());
		program.environment().put("JAVA_HOME", System.getProperty("java.home"));
		program.environment()
			.merge("PATH", Path.of("..", "config", "kubectl").toAbsolutePath().normalize().toString(),
					(path, ours) -> ours + File.pathSeparator + path);
		Process process = program.start();
		assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
		assertThat(process.exitValue()).as(() -> read(folder.resolve("err.txt"))).isZero();
		return Files.readString(out);
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	@DisplayName("Slots: which one waits for a holder, who stands by, and that there can be more replicas than slots")
	void showsSlots() {
		start();
		for (String shard : List.of("shard-0", "shard-1")) {
			this.world.editLease(shard, (lease) -> {
				lease.getMetadata().getLabels().put(ShardingLabels.POD, "web-" + shard);
				lease.getMetadata().getAnnotations().put(ShardingLabels.SLOTS, "6");
				return lease;
			});
			podOfDeployment("web-" + shard);
		}
		podOfDeployment("web-late");
		deployment(7, 9);
		Slots slots = new Slots(this.world, Duration.ofMinutes(5));
		slots.create("shard-2");
		slots.giveBack("shard-2");
		Answer status = run("status", RING);
		assertThat(status.out).containsPattern("shard-0 .* ready +yes +web-shard-0 ")
			.containsPattern("shard-2 .*given back \\S+, grace 300 s +- ")
			.contains("Standing by for a slot: " + this.world.namespace + "/web-late\n");
		Answer doctor = run("doctor", RING, "--patience", "PT3S", "--sharder-namespace", this.world.namespace);
		assertThat(doctor.out).contains("has 7 replicas for 6 slots")
			.contains("to 9 replicas, for 6 slots")
			.contains("these stand by, ready to take a slot: " + this.world.namespace + "/web-late");
	}

	private void podOfDeployment(String name) {
		Pod pod = this.world.client
			.resource(new PodBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName(name)
				.addToLabels("pod-template-hash", "5d8f")
				.addNewOwnerReference()
				.withApiVersion("apps/v1")
				.withKind("ReplicaSet")
				.withName("web-5d8f")
				.withUid("uid-of-web")
				.withController(true)
				.endOwnerReference()
				.endMetadata()
				.withNewSpec()
				.withServiceAccountName("controller")
				.addNewContainer()
				.withName("controller")
				.withImage("controller:1")
				.endContainer()
				.endSpec()
				.build())
			.create();
		pod.setStatus(new PodStatusBuilder().withPhase("Running").build());
		this.world.client.resource(pod).updateStatus();
	}

	private void deployment(int replicas, int most) {
		this.world.client
			.resource(new DeploymentBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName("web")
				.endMetadata()
				.withNewSpec()
				.withReplicas(replicas)
				.withNewSelector()
				.addToMatchLabels("app", "web")
				.endSelector()
				.withNewTemplate()
				.withNewMetadata()
				.addToLabels("app", "web")
				.endMetadata()
				.withNewSpec()
				.addNewContainer()
				.withName("controller")
				.withImage("controller:1")
				.endContainer()
				.endSpec()
				.endTemplate()
				.endSpec()
				.build())
			.create();
		this.world.client
			.resource(new HorizontalPodAutoscalerBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName("web")
				.endMetadata()
				.withNewSpec()
				.withMaxReplicas(most)
				.withNewScaleTargetRef()
				.withApiVersion("apps/v1")
				.withKind("Deployment")
				.withName("web")
				.endScaleTargetRef()
				.endSpec()
				.build())
			.create();
	}

	/* The ring has all namespaces, so that what is left of other tests would count. */
	private void removeWhatOthersLeft() {
		Stream
			.concat(this.world.client.secrets().inAnyNamespace().list().getItems().stream(),
					this.world.client.configMaps().inAnyNamespace().list().getItems().stream())
			.filter((object) -> !object.getMetadata().getNamespace().startsWith("kube-"))
			.forEach((object) -> this.world.client.resource(object).delete());
	}

	private void start() {
		this.sharder.start();
		World.await().untilAsserted(() -> {
			Map<String, String> owners = this.world.secretShards();
			owners.remove("sharder-webhook");
			assertThat(owners).isEqualTo(this.world.expected(owners, "shard-0", "shard-1"));
			Map<String, String> controlled = this.world.configMapShards();
			controlled.keySet().removeIf((name) -> !name.startsWith("s-"));
			assertThat(controlled).isEqualTo(this.world.expected(controlled, "shard-0", "shard-1"));
			assertThat(this.world.status().availableShards()).isEqualTo(2);
		});
	}

	private Answer run(String... args) {
		List<String> all = new ArrayList<>(List.of(args));
		all.add("--kubeconfig");
		all.add(this.controlPlane.admin().kubeconfigFile().toString());
		return answer(all.toArray(String[]::new));
	}

	private static Answer answer(String... args) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		ByteArrayOutputStream err = new ByteArrayOutputStream();
		int code = ShardingCommand.run(args, new PrintStream(out, true, StandardCharsets.UTF_8),
				new PrintStream(err, true, StandardCharsets.UTF_8));
		return new Answer(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
	}

	private String complete(String... words) {
		List<String> all = new ArrayList<>(
				List.of("__complete", "--kubeconfig", this.controlPlane.admin().kubeconfigFile().toString()));
		all.addAll(List.of(words));
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		ShardingCommand.run(all.toArray(String[]::new), new PrintStream(out, true, StandardCharsets.UTF_8), System.err);
		return out.toString(StandardCharsets.UTF_8);
	}

	private Map<?, ?> json(Answer answer) {
		return this.world.client.getKubernetesSerialization().unmarshal(answer.out, Map.class);
	}

	private void pod(String name) {
		this.world.client
			.resource(new ServiceAccountBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName("controller")
				.endMetadata()
				.build())
			.serverSideApply();
		this.world.client
			.resource(new PodBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName(name)
				.endMetadata()
				.withNewSpec()
				.withServiceAccountName("controller")
				.withAutomountServiceAccountToken(false)
				.addNewContainer()
				.withName("controller")
				.withImage("controller:1")
				.endContainer()
				.endSpec()
				.build())
			.serverSideApply();
	}

	/* Accounts of this test alone: other rings of the cluster have the usual one. */
	private void bind(String account, String... roles) {
		for (String role : roles) {
			this.world.client
				.resource(new ClusterRoleBindingBuilder().withNewMetadata()
					.withName(RING + ":" + account + ":" + role)
					.endMetadata()
					.withNewRoleRef(RBAC, "ClusterRole", role)
					.addNewSubject(null, "ServiceAccount", account, this.world.namespace)
					.build())
				.serverSideApply();
		}
	}

	private void bindLeases() {
		this.world.client
			.resource(new RoleBindingBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName("shards-of-" + RING)
				.endMetadata()
				.withNewRoleRef(RBAC, "ClusterRole", "sharding:shard-lease:" + RING)
				.addNewSubject(null, "ServiceAccount", "controller", this.world.namespace)
				.build())
			.serverSideApply();
	}

	/* As the sharder writes it, for objects that there are none of. */
	private void webhook(Instant issued) {
		ServingCertificate certificate = TestCertificates.create(Set.of("127.0.0.1"), CertificateTerms.DEFAULT, issued);
		this.world.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName("sharder-webhook")
				.endMetadata()
				.withType("kubernetes.io/tls")
				.addToStringData("tls.crt", certificate.certificate())
				.addToStringData("tls.key", certificate.key())
				.build())
			.forceConflicts()
			.serverSideApply();
		this.world.client
			.resource(new MutatingWebhookConfigurationBuilder().withNewMetadata()
				.withName("controllerring-" + RING)
				.endMetadata()
				.addNewWebhook()
				.withName("sharder.sharding.timebertt.dev")
				.withAdmissionReviewVersions("v1")
				.withSideEffects("None")
				.withFailurePolicy("Ignore")
				.withNewClientConfig()
				.withUrl("https://127.0.0.1:9")
				.withCaBundle(Base64.getEncoder()
					.encodeToString(String.valueOf(certificate.authorities()).getBytes(StandardCharsets.UTF_8)))
				.endClientConfig()
				.addNewRule()
				.withApiGroups("nobody.example.com")
				.withApiVersions("*")
				.withOperations("CREATE")
				.withResources("nothings")
				.endRule()
				.endWebhook()
				.build())
			.forceConflicts()
			.serverSideApply();
	}

	private void label(String secret, String owner) {
		World.retrying(
				() -> this.world.client.secrets().inNamespace(this.world.namespace).withName(secret).edit((found) -> {
					found.getMetadata().getLabels().put(ShardingLabels.shard(RING), owner);
					found.getMetadata().getLabels().put(ShardingLabels.drain(RING), ShardingLabels.DRAIN_REQUESTED);
					return found;
				}));
	}

	private void phantom() {
		this.world.lasting("phantom", Integer.MAX_VALUE);
		this.world.editLease("phantom", (lease) -> {
			lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC));
			return lease;
		});
	}

	private void revokePatch() {
		this.world.client.rbac().clusterRoles().withName("sharding:controllerring:" + RING).edit((role) -> {
			role.getRules().forEach((rule) -> rule.getVerbs().remove("patch"));
			return role;
		});
		World.await()
			.until(() -> this.user.secrets().inNamespace(this.world.namespace).withName("s-0").get() != null
					&& isPatchRefused());
	}

	private boolean isPatchRefused() {
		try {
			this.user.secrets().inNamespace(this.world.namespace).withName("s-0").patch("{\"metadata\":{}}");
			return false;
		}
		catch (RuntimeException refused) {
			return true;
		}
	}

	private record Answer(int code, String out, String err) {
	}

}
