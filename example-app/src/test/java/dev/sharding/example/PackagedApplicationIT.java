package dev.sharding.example;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.sharding.controlplane.ControlPlaneBinaries;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.WatchedProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The packaged application twice, and the packaged sharder, driven by HTTP and
 * {@code kubectl} only. They are the users of the manifests, with the roles of
 * {@code config/rbac} and {@code config/example} and no others.
 */
class PackagedApplicationIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension.own((builder) -> {
	});

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	private static final int SECRETS = 20;

	private final List<WatchedProcess> processes = new ArrayList<>();

	private final HttpClient http = HttpClient.newHttpClient();

	private final String kubectl;

	@TempDir
	private Path folder;

	private final String kubeconfigText;

	private Path kubeconfig;

	PackagedApplicationIT(ControlPlane controlPlane) throws IOException, InterruptedException {
		this.kubeconfigText = controlPlane.kubeconfig();
		this.kubectl = ControlPlaneBinaries.install(System.err::println).kubectl().toString();
	}

	@BeforeEach
	void prepare() throws Exception {
		this.kubeconfig = Files.writeString(this.folder.resolve("kubeconfig"), this.kubeconfigText);
		kubectl("apply", "-k", "../config/crd");
		kubectl("wait", "--for=condition=Established", "crd/controllerrings.sharding.timebertt.dev");
		kubectl("create", "namespace", "shop");
		kubectl("create", "namespace", "sharding-system");
		kubectl("apply", "-k", "../config/rbac");
		for (String manifest : List.of("namespace", "ring", "roles", "binding")) {
			kubectl("apply", "-f", "../config/example/" + manifest + ".yaml");
		}
	}

	@AfterEach
	void stop() {
		this.processes.forEach(WatchedProcess::killNow);
	}

	@Test
	void twoReplicasShareTheWorkAndOneTakesItOver() throws Exception {
		start("sharder", user("sharder", "sharding-system"), "../sharding-sharder/target", "sharding-sharder-");
		Path shard = user("checksum-controller", "checksums");
		Path firstLog = startShard("shard-1", shard);
		Path secondLog = startShard("shard-2", shard, "--management.endpoint.sharding.access=unrestricted");
		soon().untilAsserted(() -> {
			assertThat(status(firstLog, "health/readiness")).isEqualTo(200);
			assertThat(status(secondLog, "health/readiness")).isEqualTo(200);
		});
		StringBuilder secrets = new StringBuilder();
		for (int i = 0; i < SECRETS; i++) {
			secrets
				.append("---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: s-%d\n  namespace: shop\n".formatted(i)
						+ "stringData:\n  key: value\n");
		}
		kubectl("apply", "-f", Files.writeString(this.folder.resolve("secrets.yaml"), secrets).toString());
		soon().untilAsserted(() -> assertThat(kubectl("get", "configmaps", "-n", "shop", "-o", "name").lines()
			.filter((name) -> name.startsWith("configmap/checksums-s-"))).hasSize(SECRETS));
		soon().untilAsserted(() -> {
			assertThat(share(firstLog)).isPositive();
			assertThat(share(secondLog)).isPositive().isEqualTo(SECRETS - share(firstLog));
		});
		assertThat(JsonPath.<String>read(get(firstLog, "sharding"), "$.rings.checksums.members.shard-2.state"))
			.isEqualTo("ready");
		assertThat(get(firstLog, "prometheus")).contains("sharding_shard_running{", "workqueue_depth{");
		assertThat(post(firstLog, "sharding/secrets").statusCode()).isEqualTo(405);
		assertThat(post(secondLog, "sharding/secrets").body()).isEqualTo("{\"controllers\":[\"checksumReconciler\"]}");
		this.processes.get(1).signal("TERM");
		assertThat(this.processes.get(1).awaitExit(60, TimeUnit.SECONDS)).isTrue();
		assertThat(kubectl("get", "lease", "shard-1", "-n", "checksums", "-o", "jsonpath={.spec.holderIdentity}"))
			.isNotEqualTo("shard-1");
		soon().untilAsserted(() -> assertThat(share(secondLog)).isEqualTo(SECRETS));
		kubectl("create", "secret", "generic", "late", "-n", "shop", "--from-literal=key=value");
		soon().untilAsserted(() -> assertThat(kubectl("get", "configmaps", "-n", "shop", "-o", "name").lines())
			.contains("configmap/checksums-late"));
	}

	private Path user(String name, String namespace) throws IOException, InterruptedException {
		String token = kubectl("create", "token", name, "-n", namespace).trim();
		return Files.writeString(this.folder.resolve(name),
				this.kubeconfigText.replaceAll("token: .*", "token: " + token));
	}

	private Path startShard(String name, Path user, String... arguments) throws IOException {
		List<String> all = new ArrayList<>(List.of("--sharding.shard-name=" + name,
				"--sharding.lease.namespace=checksums", "--sharding.lease.duration=15s",
				"--management.endpoints.web.exposure.include=health,sharding,prometheus"));
		all.addAll(List.of(arguments));
		return start(name, user, "target", "example-app-", all.toArray(String[]::new));
	}

	private Path start(String name, Path user, String target, String prefix, String... arguments) throws IOException {
		Path log = this.folder.resolve(name + ".log");
		List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
				"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m", "-Dsharding.cache.check-millis=2000",
				"-Dkubeconfig=" + user, "-jar", jar(target, prefix), "--server.port=0"));
		command.addAll(List.of(arguments));
		this.processes.add(WatchedProcess.start(command, log));
		return log;
	}

	private static String jar(String folder, String prefix) throws IOException {
		try (Stream<Path> files = Files.list(Path.of(folder))) {
			return files.filter((file) -> file.getFileName().toString().startsWith(prefix))
				.filter((file) -> file.toString().endsWith("-exec.jar"))
				.findFirst()
				.orElseThrow(() -> new IllegalStateException("Not packaged: " + prefix))
				.toString();
		}
	}

	private int share(Path log) throws Exception {
		return JsonPath.<Integer>read(get(log, "sharding"), "$.rings.checksums.share.secrets");
	}

	private int status(Path log, String path) throws Exception {
		return send(log, path, HttpRequest.newBuilder()).statusCode();
	}

	private String get(Path log, String path) throws Exception {
		return send(log, path, HttpRequest.newBuilder()).body();
	}

	private HttpResponse<String> post(Path log, String path) throws Exception {
		return send(log, path,
				HttpRequest.newBuilder()
					.header("Content-Type", "application/json")
					.POST(HttpRequest.BodyPublishers.ofString("{}")));
	}

	private HttpResponse<String> send(Path log, String path, HttpRequest.Builder request) throws Exception {
		Matcher port = PORT.matcher(Files.readString(log));
		assertThat(port.find()).as("%s has started", log).isTrue();
		return this.http.send(
				request.uri(URI.create("http://localhost:" + port.group(1) + "/actuator/" + path)).build(),
				HttpResponse.BodyHandlers.ofString());
	}

	private String kubectl(String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(this.kubectl, "--kubeconfig", this.kubeconfig.toString()));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as("kubectl %s", String.join(" ", arguments)).isZero();
		return output;
	}

	private static ConditionFactory soon() {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(120))
			.pollInterval(Duration.ofMillis(300))
			.ignoreException(IOException.class);
	}

}
