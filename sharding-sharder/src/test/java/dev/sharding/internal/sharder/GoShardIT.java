package dev.sharding.internal.sharder;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.sharding.internal.sharder.assignment.placement.AssignmentMode;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import dev.sharding.test.WatchedProcess;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * A shard on controller-runtime, a program in Go, in a ring with our sharder in mode
 * {@code both} (protocol section 6). Skipped where there is no Go to build it with.
 */
@ControlPlaneTest
class GoShardIT {

	private static final String RING = "go-ring";

	private static final String SHARD = "shard-go";

	private static final String OTHER = "shard-other";

	private static final Path BUILD = Path.of("..", "benchmarks", "go-controller", "build");

	private static String program;

	private final World world;

	private final Webhooks webhooks;

	private final ControlPlane controlPlane;

	private WatchedProcess process;

	GoShardIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.world = new World(client, namespace, RING);
		this.webhooks = new Webhooks(this.world);
	}

	@BeforeAll
	static void build() throws IOException, InterruptedException {
		assumeThat(Arrays.stream(System.getenv("PATH").split(":")).map((folder) -> Path.of(folder, "go")))
			.as("Go on the PATH")
			.anyMatch(Files::isExecutable);
		Process build = new ProcessBuilder(BUILD.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		program = new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
		assertThat(build.waitFor()).isZero();
	}

	@BeforeEach
	void start(@TempDir Path logs) throws IOException {
		this.world.withRing().start(this.world.client, World.AT_ONCE.withMode(AssignmentMode.BOTH));
		this.process = WatchedProcess
			.start(List.of("/usr/bin/env", "KUBECONFIG=" + this.controlPlane.admin().kubeconfigFile(), program,
					"--namespace=" + this.world.namespace, "--ring=" + RING, "--shard=" + SHARD,
					"--lease-namespace=" + this.world.namespace), logs.resolve("shard.log"));
		World.await().untilAsserted(() -> assertThat(this.world.state(SHARD)).isEqualTo("ready"));
		this.webhooks.startAndAwait();
	}

	@AfterEach
	void close() {
		this.process.killNow();
		this.process.awaitExit(10, TimeUnit.SECONDS);
		this.webhooks.close();
		this.world.close();
	}

	@Test
	@DisplayName("A Go shard reconciles what our sharder assigns, and acknowledges its drains")
	void acknowledgesDrains() {
		String stays = this.world.secretOf(SHARD, SHARD, OTHER);
		String moves = this.world.secretOf(OTHER, SHARD, OTHER);
		for (String name : List.of(stays, moves)) {
			this.world.secret(name);
			World.await()
				.untilAsserted(
						() -> assertThat(this.world.configMapShards()).containsEntry("checksums-" + name, SHARD));
		}
		this.world.shard(OTHER);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShards()).containsEntry(moves, OTHER).containsEntry(stays, SHARD);
			assertThat(this.world.configMapShards()).containsEntry("checksums-" + moves, OTHER)
				.containsEntry("checksums-" + stays, SHARD);
		});
		assertThat(this.world.isDraining(moves)).isFalse();
		// Its shard was available, so it was asked, and nobody else took the labels off.
		assertThat(this.world.count("drains", "secrets")).isPositive();
		assertThat(this.world.lease(SHARD).getSpec().getHolderIdentity()).isEqualTo(SHARD);
	}

	@Test
	@DisplayName("A Go shard that stops gives its Lease back, and its objects go to another")
	void givesItsLeaseBack() {
		String name = this.world.secretOf(SHARD, SHARD, OTHER);
		this.world.secret(name);
		World.await()
			.untilAsserted(() -> assertThat(this.world.configMapShards()).containsEntry("checksums-" + name, SHARD));
		this.world.shard(OTHER);
		this.process.signal("TERM");
		World.await().untilAsserted(() -> {
			assertThat(this.world.lease(SHARD).getMetadata().getLabels()).containsEntry(ShardingLabels.LEASE_RING, RING)
				.containsEntry(ShardingLabels.LEASE_STATE, "dead");
			assertThat(this.world.secretShards()).containsEntry(name, OTHER);
			assertThat(this.world.configMapShards()).containsEntry("checksums-" + name, OTHER);
		});
		assertThat(this.process.awaitExit(World.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
	}

}
