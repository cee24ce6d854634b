package dev.sharding.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import dev.sharding.test.WatchedProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A leader whose process is stopped in the middle of its work, and goes on when another
 * one has taken over.
 */
@ControlPlaneTest
class LeaderProcessIT {

	private final World world;

	private final List<WatchedProcess> processes = new ArrayList<>();

	@TempDir
	private Path folder;

	LeaderProcessIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(controlPlane, client, namespace);
	}

	@AfterEach
	void close() {
		this.processes.forEach(WatchedProcess::killNow);
	}

	@Test
	void aProcessThatWasStoppedWritesNothingLateThatItHadNotBegun() throws IOException {
		WatchedProcess one = replica("one");
		World.soon().until(() -> acts("one").size() > 20);
		WatchedProcess two = replica("two");
		String leader = this.world.holder("app-leader");
		World.soon().until(() -> log("two").contains("Waiting for Lease"));
		assertThat(one.signal("STOP")).isTrue();
		World.soon().until(() -> acts("two").size() > 20);
		assertThat(one.signal("CONT")).isTrue();
		int since = acts("two").size();
		World.soon().until(() -> acts("two").size() > since + 100);
		assertThat(one.isAlive()).isTrue();
		assertThat(two.isAlive()).isTrue();
		assertThat(this.world.holder("app-leader")).isNotEqualTo(leader);
		// It has one write at a time, which may have passed its last look when the
		// process
		// was stopped: the gap that no client can close (docs/hand-over.md).
		long begin = first("two");
		assertThat(acts("one").stream().filter((version) -> version > begin).count()).isLessThanOrEqualTo(1);
	}

	private WatchedProcess replica(String name) throws IOException {
		WatchedProcess process = WatchedProcess.start(
				List.of("/usr/bin/env", "KUBECONFIG=" + this.world.controlPlane().admin().kubeconfigFile(),
						System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
						"-Xmx128m", "-cp", System.getProperty("java.class.path"), LeaderProcess.class.getName(),
						"--replica=" + name, "--spring.application.name=app",
						"--sharding.namespaces=" + this.world.namespace(),
						"--sharding.lease.namespace=" + this.world.namespace(), "--sharding.lease.duration=15s"),
				this.folder.resolve(name + ".log"));
		this.processes.add(process);
		return process;
	}

	private String log(String name) throws IOException {
		return Files.readString(this.folder.resolve(name + ".log"));
	}

	/* In a test with one etcd, versions are the order of writes. */
	private List<Long> acts(String replica) {
		return this.world.client()
			.configMaps()
			.inNamespace(this.world.namespace())
			.withLabel("replica", replica)
			.list()
			.getItems()
			.stream()
			.map((ConfigMap act) -> Long.valueOf(act.getMetadata().getResourceVersion()))
			.toList();
	}

	private Long first(String replica) {
		return acts(replica).stream().min(Comparator.naturalOrder()).orElseThrow();
	}

}
