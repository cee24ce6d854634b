package dev.sharding.internal.sharder.app.management;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sharding.controlplane.ControlPlaneBinaries;
import dev.sharding.internal.sharder.SharderUser;
import dev.sharding.internal.sharder.app.SharderApplication;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.internal.sharder.tls.TestCertificates;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneBuilder;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.CustomResourceDefinitions;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page and the endpoint behind it, with the rights of the manifests, on a real ring.
 */
class PageIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension
		.own((builder) -> builder.auditPolicy(ControlPlaneBuilder.AUDIT_EVERYTHING));

	private static final String RING = "seen";

	private static final String NAMESPACE = "team";

	private static final int SECRETS = 30;

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private ConfigurableApplicationContext program;

	private Process ui;

	private Kubelet kubelet;

	private String port;

	PageIT(ControlPlane controlPlane, KubernetesClient client) {
		this.controlPlane = controlPlane;
		this.client = client;
	}

	@BeforeEach
	void start(@TempDir Path folder) throws Exception {
		CustomResourceDefinitions.apply(this.client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
		this.client.resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
			.serverSideApply();
		ControllerRing ring = new ControllerRing();
		ring.setMetadata(new ObjectMetaBuilder().withName(RING).build());
		ring.setSpec(new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())), null));
		await().until(() -> this.client.resource(ring).serverSideApply() != null);
		SharderUser.install(this.client);
		Path kubeconfig = Files.writeString(folder.resolve("kubeconfig.yaml"),
				this.controlPlane.kubeconfig().replaceAll("token: .*", "token: " + token("sharder")));
		System.setProperty("kubeconfig", kubeconfig.toString());
		this.program = SharderApplication.create(Map.of())
			.run("--server.port=0", "--server.address=127.0.0.1", "--management.server.port=0",
					"--management.server.address=127.0.0.1", "--sharding.sharder.management.secure=true",
					"--management.endpoints.web.exposure.include=health,rings");
		this.port = this.program.getEnvironment().getProperty("local.management.server.port");
	}

	@AfterEach
	void close() throws InterruptedException {
		System.clearProperty("kubeconfig");
		if (this.ui != null) {
			this.ui.destroy();
			assertThat(this.ui.waitFor(60, TimeUnit.SECONDS)).isTrue();
		}
		if (this.kubelet != null) {
			this.kubelet.close();
		}
		if (this.program != null) {
			this.program.close();
		}
	}

	@Test
	@DisplayName("shows the ring during a roll-out, and what is wrong with it, to whoever has the right and nobody else")
	void showsTheRingToWhoeverMayLook() throws Exception {
		shard("shard-0");
		shard("shard-1");
		for (int i = 0; i < SECRETS; i++) {
			this.client.resource(secret("s-" + i)).create();
		}
		// Wrong tokens.
		for (String path : List.of("/ui/", "/ui/page.js", "/ui/events", "/actuator/rings")) {
			assertThat(get(path, null).statusCode()).as(path).isEqualTo(401);
			assertThat(get(path, "nonsense").statusCode()).as(path).isEqualTo(401);
		}
		String stranger = token("stranger");
		assertThat(get("/ui/", stranger).statusCode()).isEqualTo(403);
		String reader = token("reader");
		permit("reader");
		await().untilAsserted(() -> assertThat(get("/ui/", reader).statusCode()).isEqualTo(200));
		assertThat(get("/ui/", reader).headers().firstValue("Content-Security-Policy").orElseThrow())
			.contains("default-src 'none'");
		// The right is to the page: a path that only begins so leads nowhere.
		assertThat(get("/ui/%2e%2e/actuator/health", reader).statusCode()).isEqualTo(404);
		assertThat(get("/actuator/health", reader).statusCode()).isEqualTo(403);
		assertThat(send(request("/ui/", reader).POST(BodyPublishers.ofString("x"))).statusCode()).isEqualTo(403);
		// What it counts is what there is.
		await().untilAsserted(() -> {
			Map<?, ?> ring = ring(reader);
			assertThat(counts(ring)).isEqualTo(labels());
			assertThat(counts(ring).values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(SECRETS);
			assertThat(ring.get("orphans")).isEqualTo(List.of());
		});
		// A roll-out: one comes, one goes.
		shard("shard-2");
		await().untilAsserted(() -> {
			letGo();
			Map<?, ?> ring = ring(reader);
			assertThat(counts(ring)).isEqualTo(labels()).containsKey("shard-2");
			assertThat(events(ring)).contains("asked", "let go", "assigned");
		});
		release("shard-0");
		await().untilAsserted(() -> {
			letGo();
			Map<?, ?> ring = ring(reader);
			assertThat(labels()).doesNotContainKey("shard-0");
			assertThat(counts(ring)).isEqualTo(labels());
			assertThat(events(ring)).contains("moved");
			assertThat(names(ring, "moving")).isEmpty();
		});
		// The lists of the sharder are those that it makes anyway, after each change and
		// in each term.
		Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> {
			long lists = lists();
			for (int i = 0; i < 20; i++) {
				assertThat(get("/actuator/rings", reader).statusCode()).isEqualTo(200);
			}
			return lists() == lists;
		});
		findsWhatIsWrong(reader);
		assertThat(get("/actuator/rings", reader).body()).doesNotContain("s3cr3t", "czNjcjN0");
	}

	private void findsWhatIsWrong(String reader) throws Exception {
		shard("phantom", Integer.MAX_VALUE);
		this.client.secrets().inNamespace(NAMESPACE).withName("s-7").edit((found) -> {
			found.getMetadata().getLabels().put(ShardingLabels.drain(RING), ShardingLabels.DRAIN_REQUESTED);
			return found;
		});
		this.client.rbac().clusterRoles().withName("sharding:controllerring:" + RING).edit((role) -> {
			role.getRules().forEach((rule) -> rule.getVerbs().remove("patch"));
			return role;
		});
		this.client.resource(secret("orphan")).create();
		await().untilAsserted(() -> {
			Map<?, ?> ring = ring(reader);
			assertThat(ring.get("shards").toString()).contains("name=phantom", "not believed", "max-lease-duration");
			assertThat(names(ring, "moving")).contains("s-7");
			assertThat(names(ring, "orphans")).contains("orphan");
			assertThat(ring.get("orphans").toString()).contains("cannot patch resource");
			assertThat(ring.get("conditions").toString()).contains("ResourcesAccessible, status=False",
					"ShardsValid, status=False");
		});
	}

	@Test
	@DisplayName("kubectl sharding ui makes a way to the leader and a link that admits one browser, which never sees the token")
	void theCommandAdmitsOneBrowser(@TempDir Path folder) throws Exception {
		shard("shard-0");
		String leader = await().until(this::leader, (found) -> found != null);
		permit("visitor");
		token("visitor");
		this.kubelet = new Kubelet(this.client, this.port, folder);
		this.kubelet.run("sharding-system", leader.replaceFirst("_.*", ""));
		String kubectl = ControlPlaneBinaries.install(System.err::println).kubectl().getParent().toString();
		Path out = folder.resolve("ui.log");
		ProcessBuilder command = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-cp", System.getProperty("java.class.path"), SharderApplication.class.getName(), "kubectl", "ui",
				"--no-browser", "--account", "sharding-system/visitor", "--kubeconfig",
				this.controlPlane.admin().kubeconfigFile().toString())
			.redirectErrorStream(true)
			.redirectOutput(out.toFile());
		command.environment().merge("PATH", kubectl, (path, ours) -> ours + File.pathSeparator + path);
		this.ui = command.start();
		Pattern link = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)/enter/\\S+");
		Matcher found = await().until(() -> link.matcher(Files.readString(out)), Matcher::find);
		String base = "http://127.0.0.1:" + found.group(1);
		// Without the cookie there is nothing.
		for (String path : List.of("/", "/ui/", "/ui/events", "/actuator/rings")) {
			assertThat(local(base + path, null).statusCode()).as(path).isEqualTo(401);
			assertThat(local(base + path, "sharding-" + found.group(1) + "=x").statusCode()).as(path).isEqualTo(401);
		}
		assertThat(local(base + "/enter/x", null).statusCode()).isEqualTo(403);
		HttpResponse<String> entered = local(found.group(), null);
		assertThat(entered.statusCode()).isEqualTo(200);
		String set = entered.headers().firstValue("Set-Cookie").orElseThrow();
		assertThat(set).containsIgnoringCase("HttpOnly").contains("SameSite=Strict");
		assertThat(local(found.group(), null).statusCode()).isEqualTo(403);
		String cookie = set.substring(0, set.indexOf(';'));
		HttpResponse<String> page = local(base + "/ui/", cookie);
		assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
		assertThat(page.body()).contains("<template id=\"ring\">");
		assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow()).contains("script-src 'self'");
		await().untilAsserted(
				() -> assertThat(local(base + "/actuator/rings", cookie).body()).contains("\"name\":\"shard-0\""));
		HttpResponse<Stream<String>> events = AskAgain.untilKnown(() -> http().send(
				HttpRequest.newBuilder(URI.create(base + "/ui/events")).header("Cookie", cookie).build(),
				BodyHandlers.ofLines()));
		try (Stream<String> lines = events.body()) {
			assertThat(lines.filter((line) -> line.startsWith("data: ")).findFirst().orElseThrow())
				.contains("\"name\":\"shard-0\"", "\"leading\":true");
		}
		// Nothing but the page, for nothing but looking, by no other name.
		for (String path : List.of("/actuator/health", "/ui/../actuator/health", "/ui/x", "/api/v1/secrets")) {
			assertThat(local(base + path, cookie).statusCode()).as(path).isEqualTo(404);
		}
		assertThat(send(HttpRequest.newBuilder(URI.create(base + "/ui/"))
			.header("Cookie", cookie)
			.POST(BodyPublishers.noBody())).statusCode()).isEqualTo(405);
		assertThat(local(base.replace("127.0.0.1", "localhost") + "/ui/", cookie).statusCode()).isEqualTo(200);
		assertThat(page.headers().map().toString() + page.body() + Files.readString(out)).doesNotContain("Bearer");
	}

	private String leader() {
		try {
			String holder = this.client.leases()
				.inNamespace("sharding-system")
				.withName("sharder")
				.get()
				.getSpec()
				.getHolderIdentity();
			return holder.isEmpty() ? null : holder;
		}
		catch (RuntimeException none) {
			return null;
		}
	}

	private Map<?, ?> ring(String token) {
		Map<?, ?> all = Serialization.unmarshal(get("/actuator/rings", token).body(), Map.class);
		assertThat(all.get("leading")).isEqualTo(true);
		return (Map<?, ?>) ((List<?>) all.get("rings")).get(0);
	}

	/* Of each shard that has some. */
	private static Map<String, Integer> counts(Map<?, ?> ring) {
		return ((List<?>) ring.get("shards")).stream()
			.map((shard) -> (Map<?, ?>) shard)
			.filter((shard) -> !Integer.valueOf(0).equals(((Map<?, ?>) shard.get("objects")).get("secrets")))
			.collect(Collectors.toMap((shard) -> (String) shard.get("name"),
					(shard) -> (Integer) ((Map<?, ?>) shard.get("objects")).get("secrets")));
	}

	private static List<String> events(Map<?, ?> ring) {
		return ((List<?>) ring.get("latest")).stream()
			.map((event) -> (String) ((Map<?, ?>) event).get("what"))
			.toList();
	}

	private static List<String> names(Map<?, ?> ring, String list) {
		return ((List<?>) ring.get(list)).stream().map((object) -> (String) ((Map<?, ?>) object).get("name")).toList();
	}

	private Map<String, Integer> labels() {
		return this.client.secrets()
			.inNamespace(NAMESPACE)
			.list()
			.getItems()
			.stream()
			.filter((secret) -> secret.getMetadata().getLabels().containsKey(ShardingLabels.shard(RING)))
			.collect(Collectors.toMap((secret) -> secret.getMetadata().getLabels().get(ShardingLabels.shard(RING)),
					(secret) -> 1, Integer::sum));
	}

	/* As the shards do that are asked. */
	private void letGo() {
		this.client.secrets()
			.inNamespace(NAMESPACE)
			.withLabel(ShardingLabels.drain(RING))
			.list()
			.getItems()
			.forEach((asked) -> this.client.resource(asked).edit((secret) -> {
				secret.getMetadata().getLabels().remove(ShardingLabels.drain(RING));
				secret.getMetadata().getLabels().remove(ShardingLabels.shard(RING));
				return secret;
			}));
	}

	private long lists() throws IOException {
		return Files.readAllLines(this.controlPlane.apiServer().auditLog())
			.stream()
			.filter((line) -> line.contains("\"username\":\"" + SharderUser.NAME + "\"")
					&& line.contains("\"verb\":\"list\"") && line.contains("\"stage\":\"ResponseComplete\""))
			.count();
	}

	private static Secret secret(String name) {
		return new SecretBuilder().withNewMetadata()
			.withNamespace(NAMESPACE)
			.withName(name)
			.withLabels(Map.of())
			.endMetadata()
			.addToStringData("password", "s3cr3t")
			.build();
	}

	private void shard(String name) {
		shard(name, 300);
	}

	private void shard(String name, int seconds) {
		ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
		this.client
			.resource(new LeaseBuilder().withNewMetadata()
				.withNamespace(NAMESPACE)
				.withName(name)
				.addToLabels(ShardingLabels.LEASE_RING, RING)
				.addToAnnotations(ShardingLabels.INSTANCE_ID, "hand-made")
				.endMetadata()
				.withNewSpec()
				.withHolderIdentity(name)
				.withLeaseDurationSeconds(seconds)
				.withAcquireTime(now)
				.withRenewTime(now)
				.endSpec()
				.build())
			.serverSideApply();
	}

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

	private String token(String name) {
		this.client.serviceAccounts()
			.inNamespace("sharding-system")
			.resource(new ServiceAccountBuilder().withNewMetadata().withName(name).endMetadata().build())
			.serverSideApply();
		return this.client.serviceAccounts()
			.inNamespace("sharding-system")
			.withName(name)
			.tokenRequest(new TokenRequestBuilder().withNewSpec().withExpirationSeconds(3600L).endSpec().build())
			.getStatus()
			.getToken();
	}

	private void permit(String name) {
		this.client
			.resource(new ClusterRoleBindingBuilder().withNewMetadata()
				.withName("page-" + name)
				.endMetadata()
				.withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "sharding:page-reader")
				.addNewSubject("", "ServiceAccount", name, "sharding-system")
				.build())
			.serverSideApply();
	}

	/* A connection on which somebody was refused ends, so the next one takes another. */
	private static HttpClient http() {
		return HttpClient.newBuilder()
			.version(HttpClient.Version.HTTP_1_1)
			.sslContext(TestCertificates.trustingAll())
			.build();
	}

	private HttpRequest.Builder request(String path, String token) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + this.port + path));
		if (token != null) {
			request.header("Authorization", "Bearer " + token);
		}
		return request;
	}

	private HttpResponse<String> get(String path, String token) {
		return send(request(path, token));
	}

	private static HttpResponse<String> local(String url, String cookie) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
		if (cookie != null) {
			request.header("Cookie", cookie);
		}
		return send(request);
	}

	private static HttpResponse<String> send(HttpRequest.Builder request) {
		HttpRequest built = request.timeout(Duration.ofSeconds(60)).build();
		return AskAgain.untilKnown(() -> http().send(built, BodyHandlers.ofString()));
	}

	private static ConditionFactory await() {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(120))
			.pollInterval(Duration.ofMillis(200))
			.ignoreExceptions();
	}

}
