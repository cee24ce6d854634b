package dev.sharding.internal.sharder.app;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.sharding.controlplane.ControlPlaneBinaries;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.protocol.RingRoles;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneBuilder;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.Ports;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The manifests on a real API server, and the program under exactly the roles that they
 * and the command {@code roles} give.
 */
class InstallationIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension
		.own((builder) -> builder.auditPolicy(ControlPlaneBuilder.AUDIT_EVERYTHING));

	private static final Path CONFIG = Path.of("..", "config");

	private static final String USER = "system:serviceaccount:sharding-system:sharder";

	private static final String SHARD = "system:serviceaccount:checksums:checksum-controller";

	private static final String EDITOR = "an-editor";

	private static final String RING = "checksums";

	private static final String KUBECONFIG = "kubeconfig";

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final HttpClient http = HttpClient.newHttpClient();

	private long before;

	InstallationIT(ControlPlane controlPlane, KubernetesClient client) {
		this.controlPlane = controlPlane;
		this.client = client;
	}

	/* What is asked from now on counts. */
	@BeforeEach
	void begin() throws IOException {
		Path log = this.controlPlane.apiServer().auditLog();
		this.before = Files.exists(log) ? Files.readAllLines(log).size() : 0;
	}

	@AfterEach
	void reset() {
		System.clearProperty(KUBECONFIG);
	}

	@Test
	void theProgramWorksUnderTheRolesOfTheManifestsAndNoOthers(@TempDir Path folder) throws Exception {
		apply("default");
		await().until(() -> this.client.apiextensions()
			.v1()
			.customResourceDefinitions()
			.withName("controllerrings.sharding.timebertt.dev")
			.get()
			.getStatus()
			.getConditions()
			.stream()
			.anyMatch(
					(condition) -> "Established".equals(condition.getType()) && "True".equals(condition.getStatus())));
		apply("example");
		// A second time changes nothing: the manifests are what they say.
		String versionBefore = deploymentVersion();
		apply("default");
		assertThat(deploymentVersion()).isEqualTo(versionBefore);
		System.setProperty(KUBECONFIG, kubeconfig(folder).toString());
		ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
		int webhookPort = taken.getLocalPort();
		try (taken; ConfigurableApplicationContext program = start(webhookPort)) {
			String port = Objects.requireNonNull(program.getEnvironment().getProperty("local.server.port"));
			// Not ready, and only because of the webhook, but alive.
			await().untilAsserted(() -> assertThat(get(port, "/readyz")).contains("Failed to listen"));
			assertThat(status(port, "/readyz")).isEqualTo(503);
			assertThat(components(port)).isEqualTo(Map.of("readinessState", "UP", "webhook", "DOWN"));
			assertThat(status(port, "/healthz")).isEqualTo(200);
			taken.close();
			await().untilAsserted(() -> assertThat(status(port, "/readyz")).isEqualTo(200));
			assertThat(status(port, "/healthz")).isEqualTo(200);
			// A restart would not bring an API server back.
			assertThat(get(port, "/healthz")).contains("livenessState").doesNotContain("sharder", "webhook");
			shard("shard-a");
			await().untilAsserted(() -> assertThat(shardOf(this.client.resource(secret("probe")).dryRun(true).create()))
				.isEqualTo("shard-a"));
			assertThat(shardOf(this.client.resource(secret("s-1")).create())).isEqualTo("shard-a");
			await().untilAsserted(() -> assertThat(ring().getStatus().conditions()).anySatisfy(
					(condition) -> assertThat(condition.getType() + condition.getStatus()).isEqualTo("ReadyTrue")));
			shard("shard-b");
			this.client.leases().inNamespace(RING).withName("shard-a").edit((lease) -> {
				// As a shard does that stops.
				ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
				lease.getSpec().setHolderIdentity("");
				lease.getSpec().setLeaseDurationSeconds(1);
				lease.getSpec().setAcquireTime(now);
				lease.getSpec().setRenewTime(now);
				return lease;
			});
			await().untilAsserted(
					() -> assertThat(shardOf(this.client.secrets().inNamespace("default").withName("s-1").get()))
						.isEqualTo("shard-b"));
			// The gauges are made every few seconds.
			await().untilAsserted(() -> assertThat(get(port, "/actuator/prometheus")).contains(
					"controller_sharding_assignments_total{", "controller_sharding_movements_total{",
					"controller_sharding_ring_calculations_total{", "controller_sharding_shard_state{",
					"controller_sharding_shard_info{", "controller_sharding_controllerring_status_available_shards{"));
			assertThat(get(port, "/actuator/qos/counts")).containsPattern("\"rule\":\"rings\",\"matched\":[1-9]");
			this.client.resource(ring()).delete();
			await().until(() -> this.client.admissionRegistration()
				.v1()
				.mutatingWebhookConfigurations()
				.withName("controllerring-" + RING)
				.get() == null);
		}
		// As the leader and for its webhook. What an API server that streams no lists
		// refuses does not count.
		assertThat(requests("\"stage\":\"ResponseStarted\""))
			.filteredOn((line) -> line.contains("\"code\":200") && line
				.matches(".*\"requestURI\":\"/apis/coordination.k8s.io/v1/leases\\?[^\"]*watch=1.*labelSelector=.*"))
			.hasSize(1);
		assertThat(requests("\"code\":200")).isNotEmpty();
		assertThat(requests("\"code\":403")).isEmpty();
	}

	@Test
	void onlyShardsAndTheSharderWriteTheLeasesOfARing() throws Exception {
		KubernetesClient shard = as(SHARD);
		KubernetesClient sharder = as(USER);
		KubernetesClient editor = as(EDITOR);
		applyWithThePolicyInForce();
		assertThat(refusal(() -> shard.resource(lease("policy-1", RING)).create())).isEmpty();
		assertThat(refusal(() -> sharder.leases().inNamespace(RING).withName("policy-1").edit((found) -> {
			found.getSpec().setHolderIdentity("shardlease-controller");
			return found;
		}))).isEmpty();
		// Neither its content, nor its label, nor that of another ring.
		assertThat(refusal(() -> editor.leases().inNamespace(RING).withName("policy-1").edit((found) -> {
			found.getSpec().setLeaseDurationSeconds(Integer.MAX_VALUE);
			return found;
		}))).contains("written by its shards");
		assertThat(refusal(() -> editor.leases().inNamespace(RING).withName("policy-1").edit((found) -> {
			found.getMetadata().setAnnotations(Map.of(ShardingLabels.INSTANCE_ID, "another"));
			return found;
		}))).contains("written by its shards");
		assertThat(refusal(() -> editor.leases().inNamespace(RING).withName("policy-1").edit((found) -> {
			found.getMetadata().getLabels().remove(ShardingLabels.LEASE_RING);
			return found;
		}))).contains("written by its shards");
		assertThat(refusal(() -> shard.resource(lease("policy-2", "another-ring")).create()))
			.contains("sharding:shard-lease:another-ring");
		// Other Leases are nobody's business, until they are to join.
		Lease own = new LeaseBuilder(lease("policy-3", RING)).editMetadata().withLabels(null).endMetadata().build();
		assertThat(refusal(() -> editor.resource(own).create())).isEmpty();
		assertThat(refusal(() -> editor.leases().inNamespace(RING).withName("policy-3").edit((found) -> {
			found.getMetadata().setLabels(Map.of(ShardingLabels.LEASE_RING, RING));
			return found;
		}))).contains("written by its shards");
		// Nor by a label without a ring, which nobody could check.
		assertThat(refusal(() -> shard.resource(lease("policy-4", "")).create())).contains("names no ring");
		for (KubernetesClient writer : List.of(editor, sharder)) {
			assertThat(refusal(() -> writer.resource(lease("policy-4", "")).create())).contains("names no ring");
			assertThat(refusal(() -> writer.leases().inNamespace(RING).withName("policy-3").edit((found) -> {
				found.getMetadata().setLabels(Map.of(ShardingLabels.LEASE_RING, ""));
				return found;
			}))).contains("names no ring");
			assertThat(refusal(() -> writer.leases().inNamespace(RING).withName("policy-1").edit((found) -> {
				found.getMetadata().getLabels().put(ShardingLabels.LEASE_RING, "");
				return found;
			}))).contains("names no ring");
		}
		assertThat(refusal(() -> editor.leases().inNamespace(RING).withName("policy-3").edit((found) -> {
			found.getMetadata().setLabels(Map.of("a", "b"));
			return found;
		}))).isEmpty();
		this.client.leases().inNamespace(RING).delete();
	}

	@Test
	void whoeverCollectsGarbageAndNamespacesGetsRidOfTheLeasesOfARing() throws Exception {
		KubernetesClient shard = as(SHARD);
		KubernetesClient editor = as(EDITOR);
		KubernetesClient garbageCollector = as("system:serviceaccount:kube-system:generic-garbage-collector");
		KubernetesClient namespaceController = as("system:serviceaccount:kube-system:namespace-controller");
		applyWithThePolicyInForce();
		shard.resource(lease("garbage-1", RING)).create();
		editor.leases()
			.inNamespace(RING)
			.withName("garbage-1")
			.withPropagationPolicy(DeletionPropagation.FOREGROUND)
			.delete();
		Lease waiting = editor.leases().inNamespace(RING).withName("garbage-1").get();
		assertThat(waiting.getMetadata().getFinalizers()).containsExactly("foregroundDeletion");
		// As the garbage collector asks once nothing depends on it any more.
		String done = "{\"metadata\":{\"uid\":\"" + waiting.getMetadata().getUid() + "\",\"resourceVersion\":\""
				+ waiting.getMetadata().getResourceVersion() + "\",\"finalizers\":null}}";
		assertThat(refusal(() -> garbageCollector.leases()
			.inNamespace(RING)
			.withName("garbage-1")
			.patch(PatchContext.of(PatchType.JSON_MERGE), done))).isEmpty();
		assertThat(editor.leases().inNamespace(RING).withName("garbage-1").get()).isNull();

		shard.resource(lease("garbage-2", RING)).create();
		assertThat(refusal(() -> editor.leases().inNamespace(RING).withName("garbage-2").edit((found) -> {
			found.getMetadata().setFinalizers(List.of("sharding.test/kept"));
			return found;
		}))).isEmpty();
		// Not under the cloak of that.
		assertThat(refusal(() -> garbageCollector.leases().inNamespace(RING).withName("garbage-2").edit((found) -> {
			found.getMetadata().setFinalizers(null);
			found.getSpec().setHolderIdentity("somebody");
			return found;
		}))).contains("written by its shards");
		assertThat(refusal(() -> garbageCollector.leases().inNamespace(RING).withName("garbage-2").edit((found) -> {
			found.getMetadata().setFinalizers(null);
			return found;
		}))).isEmpty();
		assertThat(refusal(() -> namespaceController.leases().inNamespace(RING).delete())).isEmpty();
		assertThat(this.client.leases().inNamespace(RING).list().getItems()).isEmpty();
	}

	/*
	 * The policy is in force, and the roles are known, a moment after they were applied.
	 */
	private void applyWithThePolicyInForce() throws Exception {
		apply("default");
		apply("example");
		this.client.rbac()
			.roleBindings()
			.inNamespace(RING)
			.resource(new RoleBindingBuilder().withNewMetadata()
				.withName(EDITOR)
				.endMetadata()
				.withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "system:aggregate-to-edit")
				.addNewSubject("rbac.authorization.k8s.io", "User", EDITOR, null)
				.build())
			.serverSideApply();
		KubernetesClient editor = as(EDITOR);
		KubernetesClient shard = as(SHARD);
		KubernetesClient sharder = as(USER);
		await().untilAsserted(() -> {
			assertThat(refusal(() -> editor.resource(lease("probe", RING)).dryRun(true).create()))
				.contains("written by its shards and the sharder", "sharding:shard-lease:" + RING);
			assertThat(refusal(() -> shard.resource(lease("probe", RING)).dryRun(true).create())).isEmpty();
			assertThat(refusal(() -> sharder.resource(lease("probe", RING)).dryRun(true).create())).isEmpty();
		});
	}

	private KubernetesClient as(String user) {
		return new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(this.client.getConfiguration()).withImpersonateUsername(user).build())
			.build();
	}

	private static String refusal(Runnable write) {
		try {
			write.run();
			return "";
		}
		catch (KubernetesClientException ex) {
			return String.valueOf(ex.getMessage());
		}
	}

	@Test
	void theOverlayThatNarrowsNamesTheNamespacesOfLeases() throws Exception {
		assertThat(kubectl("kustomize", CONFIG.resolve("narrow").toString()))
			.containsPattern("name: SHARDING_SHARDER_LEASE_NAMESPACES\\s+value: checksums");
	}

	@Test
	void withoutTheWebhookThereAreNoRightsForIt() throws Exception {
		String watch = kubectl("kustomize", CONFIG.resolve("watch").toString());
		assertThat(watch).containsPattern("name: SHARDING_SHARDER_MODE\\s+value: watch")
			.doesNotContain("webhookconfigurations", "secrets", "9443", "port: webhook");
		assertThat(kubectl("kustomize", CONFIG.resolve("default").toString())).contains("webhookconfigurations",
				"secrets", "9443", "port: webhook");
		assertThat(((Service) only(watch, "Service")).getSpec().getPorts()).extracting(ServicePort::getName)
			.containsExactly("metrics");
	}

	@Test
	void inANarrowInstallationTheSharderWritesLeasesInTheNamedNamespacesOnly() throws Exception {
		List<ClusterRole> roles = this.client
			.load(new ByteArrayInputStream(
					kubectl("kustomize", CONFIG.resolve("narrow").toString()).getBytes(StandardCharsets.UTF_8)))
			.items()
			.stream()
			.filter(ClusterRole.class::isInstance)
			.map(ClusterRole.class::cast)
			.toList();
		assertThat(verbs(roles, "sharding:sharder", "leases")).containsExactlyInAnyOrder("list", "watch");
		assertThat(verbs(roles, "sharding:sharder", "controllerrings")).doesNotContain("join");
		assertThat(verbs(roles, "sharding:sharder-leases", "leases")).contains("get", "create", "update", "patch",
				"delete");
		assertThat(verbs(roles, "sharding:sharder-leases", "controllerrings")).containsExactly("join");
	}

	@Test
	void theProgramWorksUnderTheNarrowRolesToo(@TempDir Path folder) throws Exception {
		applyWithThePolicyInForce();
		apply("narrow");
		KubernetesClient sharder = as(USER);
		await().untilAsserted(() -> {
			assertThat(
					refusal(() -> sharder.resource(inNamespace(lease("probe", RING), "default")).dryRun(true).create()))
				.contains("cannot create resource \"leases\"");
			assertThat(refusal(() -> sharder.resource(lease("probe", RING)).dryRun(true).create())).isEmpty();
		});
		System.setProperty(KUBECONFIG, kubeconfig(folder).toString());
		begin();
		try (ConfigurableApplicationContext program = start(Ports.next(),
				"--sharding.sharder.lease-namespaces=" + RING)) {
			shard("narrow-1");
			await().untilAsserted(() -> assertThat(shardOf(this.client.resource(secret("narrow")).serverSideApply()))
				.isEqualTo("narrow-1"));
			// Its state is shown, so the sharder wrote it.
			await().untilAsserted(() -> assertThat(
					this.client.leases().inNamespace(RING).withName("narrow-1").get().getMetadata().getLabels())
				.containsKey(ShardingLabels.LEASE_STATE));
			this.client.resource(ring()).delete();
			await().until(() -> this.client.admissionRegistration()
				.v1()
				.mutatingWebhookConfigurations()
				.withName("controllerring-" + RING)
				.get() == null);
		}
		finally {
			this.client.leases().inNamespace(RING).delete();
			this.client.resource(secret("narrow")).delete();
			apply("default");
		}
		assertThat(requests("\"code\":200")).isNotEmpty();
		assertThat(requests("\"code\":403")).isEmpty();
	}

	@Test
	void inModeWatchTheProgramNeedsNoRightOfTheWebhook(@TempDir Path folder) throws Exception {
		applyWithThePolicyInForce();
		kubectl("delete", "--ignore-not-found", "-k", CONFIG.resolve("rbac/webhook").toString());
		KubernetesClient sharder = as(USER);
		await().untilAsserted(() -> {
			assertThat(refusal(() -> sharder.admissionRegistration().v1().mutatingWebhookConfigurations().list()))
				.contains("cannot list");
			assertThat(refusal(() -> sharder.secrets()
				.inNamespace("sharding-system")
				.resource(secret("probe").edit().editMetadata().withNamespace("sharding-system").endMetadata().build())
				.dryRun(true)
				.create())).contains("cannot create");
		});
		System.setProperty(KUBECONFIG, kubeconfig(folder).toString());
		begin();
		try (ConfigurableApplicationContext program = SharderApplication.create(Map.of())
			.run("--server.port=0", "--server.address=127.0.0.1", "--sharding.sharder.mode=watch",
					"--sharding.sharder.leader-election.lease-duration=4s")) {
			String port = Objects.requireNonNull(program.getEnvironment().getProperty("local.server.port"));
			await().untilAsserted(() -> assertThat(status(port, "/readyz")).isEqualTo(200));
			shard("watch-1");
			this.client.resource(secret("watched")).create();
			await().untilAsserted(
					() -> assertThat(shardOf(this.client.secrets().inNamespace("default").withName("watched").get()))
						.isEqualTo("watch-1"));
			await().untilAsserted(() -> assertThat(ring().getStatus().conditions()).anySatisfy(
					(condition) -> assertThat(condition.getType() + condition.getStatus()).isEqualTo("ReadyTrue")));
			assertThat(status(port, "/readyz")).isEqualTo(200);
		}
		finally {
			this.client.leases().inNamespace(RING).delete();
			this.client.resource(secret("watched")).delete();
			this.client.resource(ring()).delete();
			apply("default");
		}
		// It does not even ask.
		assertThat(requests("\"code\":200")).isNotEmpty();
		assertThat(requests("\"code\":403")).isEmpty();
	}

	private static Lease inNamespace(Lease lease, String namespace) {
		return new LeaseBuilder(lease).editMetadata().withNamespace(namespace).endMetadata().build();
	}

	private static List<String> verbs(List<ClusterRole> roles, String name, String resource) {
		return roles.stream()
			.filter((role) -> role.getMetadata().getName().equals(name))
			.flatMap((role) -> role.getRules().stream())
			.filter((rule) -> rule.getResources().contains(resource))
			.flatMap((rule) -> rule.getVerbs().stream())
			.toList();
	}

	@Test
	void theRolesOfTheExampleAreThoseThatTheCommandPrints() throws IOException {
		assertThat(RingRoles.ofFile(CONFIG.resolve("example/ring.yaml")))
			.isEqualTo(Files.readString(CONFIG.resolve("example/roles.yaml")));
	}

	@Test
	void theServiceMonitorSelectsTheService() throws Exception {
		String monitoring = kubectl("kustomize", CONFIG.resolve("monitoring").toString());
		assertThat(monitoring).contains("kind: PodMonitor", "kind: PrometheusRule");
		GenericKubernetesResource monitor = (GenericKubernetesResource) only(monitoring, "ServiceMonitor");
		Service service = (Service) only(kubectl("kustomize", CONFIG.resolve("default").toString()), "Service");
		Map<String, String> selected = monitor.get("spec", "selector", "matchLabels");
		assertThat(selected).isNotEmpty();
		assertThat(service.getMetadata().getLabels()).containsAllEntriesOf(selected);
		assertThat(service.getMetadata().getNamespace()).isEqualTo(monitor.getMetadata().getNamespace());
		List<Map<String, Object>> endpoints = monitor.get("spec", "endpoints");
		assertThat(service.getSpec().getPorts()).extracting(ServicePort::getName)
			.contains((String) endpoints.get(0).get("port"));
		// The name and the authority of the certificate that the port serves with.
		assertThat(((Map<?, ?>) endpoints.get(0).get("tlsConfig")).get("serverName"))
			.isEqualTo(service.getMetadata().getName() + "." + service.getMetadata().getNamespace() + ".svc");
		assertThat(endpoints.get(0)).containsEntry("scheme", "https").containsKey("bearerTokenFile");
	}

	private HasMetadata only(String manifests, String kind) {
		List<HasMetadata> found = this.client.load(new ByteArrayInputStream(manifests.getBytes(StandardCharsets.UTF_8)))
			.items()
			.stream()
			.filter((item) -> kind.equals(item.getKind()))
			.toList();
		assertThat(found).hasSize(1);
		return found.get(0);
	}

	@SuppressWarnings("unchecked")
	private Map<String, Object> components(String port) throws IOException, InterruptedException {
		Map<String, Object> states = new java.util.HashMap<>();
		((Map<String, Map<String, Object>>) Serialization.unmarshal(get(port, "/readyz"), Map.class).get("components"))
			.forEach((name, component) -> states.put(name, component.get("status")));
		return states;
	}

	private ConfigurableApplicationContext start(int webhookPort, String... further) {
		List<String> all = new ArrayList<>(List.of(further));
		all.addAll(List.of("--server.port=0", "--server.address=127.0.0.1", "--sharding.sharder.mode=both",
				"--sharding.sharder.webhook.bind-address=127.0.0.1", "--sharding.sharder.webhook.port=" + webhookPort,
				"--sharding.sharder.webhook.url=https://127.0.0.1:" + webhookPort, "--sharding.qos.enabled=true",
				"--sharding.qos.classes.all.kind=token-bucket", "--sharding.qos.classes.all.qps=1000",
				"--sharding.qos.rules.rings.priority=1", "--sharding.qos.rules.rings.qos-class=all",
				"--sharding.qos.rules.rings.paths=/apis/sharding.timebertt.dev",
				"--management.endpoints.web.exposure.include=health,prometheus,qos"));
		return SharderApplication.create(Map.of()).run(all.toArray(String[]::new));
	}

	private Path kubeconfig(Path folder) throws IOException {
		String token = this.client.serviceAccounts()
			.inNamespace("sharding-system")
			.withName("sharder")
			.tokenRequest(new TokenRequestBuilder().withNewSpec().withExpirationSeconds(3600L).endSpec().build())
			.getStatus()
			.getToken();
		return Files.writeString(folder.resolve("kubeconfig.yaml"),
				this.controlPlane.kubeconfig().replaceAll("token: .*", "token: " + token));
	}

	private void shard(String name) {
		this.client.resource(lease(name, RING)).create();
	}

	private static Lease lease(String name, String ring) {
		ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
		return new LeaseBuilder().withNewMetadata()
			.withNamespace(RING)
			.withName(name)
			.addToLabels(ShardingLabels.LEASE_RING, ring)
			.endMetadata()
			.withNewSpec()
			.withHolderIdentity(name)
			.withLeaseDurationSeconds(600)
			.withAcquireTime(now)
			.withRenewTime(now)
			.endSpec()
			.build();
	}

	private Secret secret(String name) {
		return new SecretBuilder().withNewMetadata().withNamespace("default").withName(name).endMetadata().build();
	}

	private static String shardOf(Secret secret) {
		Map<String, String> labels = secret.getMetadata().getLabels();
		return (labels != null) ? labels.get(ShardingLabels.shard(RING)) : null;
	}

	private ControllerRing ring() {
		return this.client.resources(ControllerRing.class).withName(RING).get();
	}

	private String deploymentVersion() {
		return this.client.apps()
			.deployments()
			.inNamespace("sharding-system")
			.withName("sharder")
			.get()
			.getMetadata()
			.getResourceVersion();
	}

	/* The sharder's requests that were answered so. */
	private List<String> requests(String answer) throws IOException {
		return Files.readAllLines(this.controlPlane.apiServer().auditLog())
			.stream()
			.skip(this.before)
			.filter((line) -> line.contains("\"username\":\"" + USER + "\"") && line.contains(answer))
			.toList();
	}

	private int status(String port, String path) throws IOException, InterruptedException {
		return this.http.send(request(port, path), BodyHandlers.discarding()).statusCode();
	}

	private String get(String port, String path) throws IOException, InterruptedException {
		return this.http.send(request(port, path), BodyHandlers.ofString()).body();
	}

	private static HttpRequest request(String port, String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
			.timeout(Duration.ofSeconds(30))
			.build();
	}

	private void apply(String folder) throws IOException, InterruptedException {
		kubectl("apply", "--server-side", "-k", CONFIG.resolve(folder).toString());
	}

	private String kubectl(String... arguments) throws IOException, InterruptedException {
		List<String> command = new java.util.ArrayList<>(
				List.of(ControlPlaneBinaries.install(System.err::println).kubectl().toString()));
		command.addAll(List.of(arguments));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
		builder.environment().put("KUBECONFIG", this.controlPlane.admin().kubeconfigFile().toString());
		Process process = builder.start();
		try (InputStream out = process.getInputStream()) {
			String text = new String(out.readAllBytes(), StandardCharsets.UTF_8);
			assertThat(process.waitFor()).as(text).isZero();
			return text;
		}
	}

	private static ConditionFactory await() {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(90))
			.pollInterval(Duration.ofMillis(200))
			.ignoreExceptions();
	}

}
