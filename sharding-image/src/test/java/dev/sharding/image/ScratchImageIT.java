package dev.sharding.image;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.sharding.controlplane.ControlPlaneBinaries;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.Ports;
import dev.sharding.test.WatchedProcess;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * The image from scratch: it says what the Dockerfile says, needs nothing of the machine
 * that it was made on, and its program is a sharder as nobody with a read-only root.
 */
class ScratchImageIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension.own((builder) -> {
	});

	private static final Path CONTEXT = Path.of("..");

	private static final String SHARD = """
			apiVersion: coordination.k8s.io/v1
			kind: Lease
			metadata:
			  name: shard-a
			  namespace: checksums
			  labels: {alpha.sharding.timebertt.dev/controllerring: checksums}
			spec:
			  holderIdentity: shard-a
			  leaseDurationSeconds: 600
			  acquireTime: "%1$s"
			  renewTime: "%1$s"
			---
			apiVersion: v1
			kind: Secret
			metadata: {name: s-1, namespace: default}
			""";

	private final ControlPlane controlPlane;

	private final String kubectl = ControlPlaneBinaries.install(System.err::println).kubectl().toString();

	@TempDir
	private Path folder;

	private Path tmp;

	ScratchImageIT(ControlPlane controlPlane) {
		this.controlPlane = controlPlane;
	}

	@BeforeEach
	void prepare() throws IOException {
		assumeThat(System.getProperty("os.name")).isEqualTo("Linux");
		List<String> namespace = new ArrayList<>(List.of("unshare", "--mount"));
		if (!isAdministrator()) {
			namespace.add("--map-root-user");
		}
		namespace.add("true");
		assumeThat(new ProcessBuilder(namespace).start().onExit().join().exitValue())
			.as("Who is not root needs user namespaces")
			.isZero();
		this.tmp = Files.createDirectory(this.folder.resolve("tmp"));
		Files.setPosixFilePermissions(this.tmp, PosixFilePermissions.fromString("rwxrwxrwx"));
	}

	@Test
	void runsAsNobodyOnAReadOnlyRoot() throws Exception {
		Path archive = BuildImage.build(CONTEXT, Path.of("target", "image"), "scratch", "linux/amd64");
		UnpackedImage image = UnpackedImage.of(archive, this.folder);
		saysWhatTheDockerfileSays(image);
		standsAlone(image);
		assigns(image);
	}

	private void saysWhatTheDockerfileSays(UnpackedImage image) throws IOException {
		String text = Files.readString(CONTEXT.resolve("config").resolve("Dockerfile"));
		assertThat(text.lines()
			.filter((line) -> line.startsWith("ENV "))
			.map((line) -> line.substring(4).replace("\"", ""))).isNotEmpty().allMatch(image.environment()::contains);
		assertThat(text).contains("\nUSER " + image.user() + "\n", "\nWORKDIR " + image.workdir() + "\n")
			.endsWith("\nENTRYPOINT ["
					+ String.join(", ",
							image.entryPoint().stream().map((word) -> '"' + word.replace("\"", "\\\"") + '"').toList())
					+ "]\n");
		assertThat(image.platform()).isEqualTo("linux/amd64");
		assertThat(image.root().resolve("app/app.jar")).exists();
	}

	/* Runs the shell of the image. */
	private void standsAlone(UnpackedImage image) throws Exception {
		assertThat(shell(image, "echo kept > /tmp/probe; test -e /usr/bin/env || echo alone")).contains("alone");
		assertThat(this.tmp.resolve("probe")).hasContent("kept");
		assertThat(shell(image, "echo lost > /app/probe || echo refused")).contains("Read-only file system", "refused");
		assertThat(image.root().resolve("app/probe")).doesNotExist();
	}

	private String shell(UnpackedImage image, String script) throws IOException {
		return Commands.run(this.folder, image.inside(this.tmp, List.of("sh", "-c", script)).toArray(String[]::new));
	}

	private void assigns(UnpackedImage image) throws Exception {
		kubectl("apply", "--server-side", "-k", "../config/default");
		kubectl("wait", "--for=condition=Established", "crd/controllerrings.sharding.timebertt.dev");
		kubectl("apply", "--server-side", "-k", "../config/example");
		String token = kubectl("create", "token", "sharder", "-n", "sharding-system").strip();
		Files.writeString(this.tmp.resolve("kubeconfig"),
				this.controlPlane.kubeconfig().replaceAll("token: .*", "token: " + token));
		int port = Ports.next();
		List<String> program = new ArrayList<>(image.entryPoint());
		program.addAll(List.of("--sharding.sharder.mode=watch", "--server.address=127.0.0.1", "--server.port=" + port));
		List<String> command = image.inside(this.tmp, program);
		// What a pod gets from Kubernetes, this one gets from a file.
		command.replaceAll((word) -> word.replace("exec env -i ", "exec env -i KUBECONFIG=/tmp/kubeconfig "));
		Path log = this.folder.resolve("sharder.log");
		WatchedProcess sharder = WatchedProcess.start(command, log);
		try {
			await().untilAsserted(() -> assertThat(status(port)).as(Files.readString(log)).isEqualTo(200));
			assertThat(Files.readString(Path.of("/proc/" + sharder.pid() + "/status")))
				.containsPattern("Uid:\\s" + (isAdministrator() ? "65532\\s65532\\s65532\\s65532" : "[1-9]"));
			Path shard = Files.writeString(this.folder.resolve("shard.yaml"),
					SHARD.formatted(Instant.now().toString().replaceFirst("\\..*", ".000000Z")));
			kubectl("apply", "-f", shard.toString());
			await().untilAsserted(() -> assertThat(kubectl("get", "secret", "s-1", "-o", "jsonpath={.metadata.labels}"))
				.contains("\"shard.alpha.sharding.timebertt.dev/checksums\":\"shard-a\""));
			sharder.signal("TERM");
			assertThat(sharder.awaitExit(60, TimeUnit.SECONDS)).isTrue();
			assertThat(kubectl("get", "lease", "sharder", "-n", "sharding-system", "-o",
					"jsonpath={.spec.holderIdentity}"))
				.isEmpty();
		}
		finally {
			sharder.killNow();
		}
	}

	private boolean isAdministrator() throws IOException {
		return Commands.run(this.folder, "id", "-u").strip().equals("0");
	}

	private static int status(int port) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/readyz"))
			.timeout(Duration.ofSeconds(30))
			.build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
	}

	private String kubectl(String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(this.kubectl));
		command.addAll(List.of(arguments));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
		builder.environment().put("KUBECONFIG", this.controlPlane.admin().kubeconfigFile().toString());
		Process process = builder.start();
		String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(said).isZero();
		return said;
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(300)).ignoreExceptions();
	}

}
