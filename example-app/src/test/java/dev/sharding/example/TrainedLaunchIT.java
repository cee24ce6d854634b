package dev.sharding.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.WatchedProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code config/train example}, and the launch of docs/running.md with what it leaves.
 * With the JVM of the tests: class-data sharing before 25, an AOT cache since.
 */
@Tag("long")
class TrainedLaunchIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension.own((builder) -> {
	});

	/** What the documentation has: {@code java @app.args $JAVA_OPTS -jar app.jar}. */
	private static final String LAUNCH = "exec java @app.args $JAVA_OPTS -Xlog:class+load:file=classes.log -jar app.jar \"$@\"";

	private static final String HOME = System.getProperty("java.home");

	@TempDir
	private static Path folder;

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	TrainedLaunchIT(ControlPlane controlPlane, KubernetesClient client) {
		this.controlPlane = controlPlane;
		this.client = client;
	}

	@BeforeAll
	static void train() throws IOException, InterruptedException {
		Path log = folder.resolve("train.log");
		ProcessBuilder command = new ProcessBuilder("../config/train", "example", launch().toString())
			.redirectErrorStream(true)
			.redirectOutput(log.toFile());
		command.environment().put("JAVA_HOME", HOME);
		Process training = command.start();
		assertThat(training.waitFor(15, TimeUnit.MINUTES)).isTrue();
		assertThat(training.exitValue()).as(Files.readString(log)).isZero();
	}

	@Test
	void startsFromTheCache() throws Exception {
		start(launch());
		try (Stream<String> classes = Files.lines(launch().resolve("classes.log"))) {
			// JSON, TLS and a class of ours: the training has got as far.
			assertThat(classes.filter((line) -> line.contains("shared objects file")))
				.anyMatch((line) -> line.contains(" com.fasterxml.jackson.databind.ObjectMapper "))
				.anyMatch((line) -> line.contains(" sun.security.ssl."))
				.anyMatch((line) -> line.contains(" dev.sharding.example.ChecksumReconciler "));
		}
	}

	@Test
	void startsWhereTheCacheDoesNotFit() throws Exception {
		Path other = folder.resolve("other");
		try (Stream<Path> files = Files.walk(launch())) {
			for (Path file : files.toList()) {
				// Without their times: to the JVM these are other jars.
				Files.copy(file, other.resolve(launch().relativize(file)));
			}
		}
		start(other);
		try (Stream<String> classes = Files.lines(other.resolve("classes.log"))) {
			assertThat(classes.filter((line) -> line.contains(" dev.sharding.example.ChecksumReconciler ")))
				.allMatch((line) -> !line.contains("shared objects file"));
		}
	}

	@Test
	void startsWhereTheCacheIsBroken() throws Exception {
		Path broken = folder.resolve("broken");
		try (Stream<Path> files = Files.walk(launch())) {
			for (Path file : files.toList()) {
				Path copy = broken.resolve(launch().relativize(file));
				if (file.toString().matches(".*\\.(jsa|aot)")) {
					Files.writeString(copy, "no cache");
				}
				else {
					Files.copy(file, copy);
				}
			}
		}
		start(broken);
	}

	private static Path launch() {
		return folder.resolve("launch");
	}

	/** Starts the example, and waits until it has taken its Lease. */
	private void start(Path program) throws IOException {
		String name = program.getFileName().toString();
		Path log = folder.resolve(name + ".log");
		WatchedProcess process = WatchedProcess
			.start(List.of("/usr/bin/env", "--chdir=" + program, "PATH=" + HOME + "/bin:" + System.getenv("PATH"),
					"KUBECONFIG=" + this.controlPlane.admin().kubeconfigFile(),
					"JAVA_OPTS=-XX:MaxRAM=512m -Xms24m -XX:MaxRAMPercentage=50 -Xss256k"
							+ " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Dio.netty.jfr.enabled=false",
					"sh", "-c", LAUNCH, "--", "--server.port=0", "--sharding.shard-name=" + name,
					"--sharding.lease.namespace=default"), log);
		try {
			Awaitility.await().atMost(Duration.ofMinutes(4)).untilAsserted(() -> {
				assertThat(process.isAlive()).as("%s: %s", name, Files.readString(log)).isTrue();
				assertThat(this.client.leases().inNamespace("default").withName(name).get()).isNotNull();
			});
			assertThat(process.signal("TERM")).isTrue();
			assertThat(process.awaitExit(60, TimeUnit.SECONDS)).isTrue();
		}
		finally {
			process.killNow();
		}
	}

}
