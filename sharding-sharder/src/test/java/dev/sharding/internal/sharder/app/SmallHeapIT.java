package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.WatchedProcess;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The program with a heap that very long annotations would fill, and very many labels do.
 */
class SmallHeapIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension.own((builder) -> {
	});

	private static final String RING = "smallheap";

	private static final String DRAINED = "drained";

	private static final String SELECTING = "selecting";

	private static final String BALLAST = "ballast";

	private static final LabelSelector TEAM = new LabelSelectorBuilder().addToMatchLabels("team", "a").build();

	/* Of 250 KiB each; with that many the heap would burst. */
	private static final int MOST = 350;

	private static final int AT_A_TIME = 5;

	/* Labels are what has to be kept of a namespace: 250 KiB of them. */
	private static final int LABELS = 2_000;

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	SmallHeapIT(ControlPlane controlPlane, KubernetesClient client) {
		this.controlPlane = controlPlane;
		this.client = client;
	}

	@Test
	void saysThatMemoryIsShortUntilItIsNot(@TempDir Path folder) throws Exception {
		ring(RING, TEAM);
		Path log = folder.resolve("sharder.log");
		WatchedProcess sharder = start(log);
		try {
			await().untilAsserted(() -> {
				assertThat(sharder.isAlive()).as(() -> read(log)).isTrue();
				assertThat(condition().getStatus()).isEqualTo("True");
			});
			int namespaces = 0;
			// The log tells at once: what is created after that may burst the heap.
			while (!read(log).contains("is nearly full")) {
				assertThat(sharder.isAlive()).as(() -> read(log)).isTrue();
				assertThat(namespaces).isLessThan(MOST);
				for (int i = 0; i < AT_A_TIME; i++) {
					namespaceWithLabels(namespaces++);
				}
				collect(sharder.pid());
			}
			await().untilAsserted(() -> assertThat(condition().getStatus()).isEqualTo("False"));
			assertThat(condition().getReason()).isEqualTo("MemoryShort");
			assertThat(condition().getMessage()).contains("-Xmx from 96 MiB to ");
			while (namespaces > 0) {
				takeLabelsOff(--namespaces);
			}
			await().untilAsserted(() -> assertThat(condition().getStatus()).isEqualTo("True"));
			assertThat(sharder.isAlive()).as(() -> read(log)).isTrue();
		}
		finally {
			sharder.killNow();
			this.client.resources(ControllerRing.class).withName(RING).delete();
		}
	}

	@Test
	void keepsOfLeasesAndNamespacesNothingThatIsLong(@TempDir Path folder) throws Exception {
		ring(SELECTING, TEAM);
		for (int i = 0; i < MOST; i++) {
			lease(i);
			this.client
				.resource(new NamespaceBuilder().withNewMetadata()
					.withName("long-" + i)
					.addToLabels("team", "a")
					.addToAnnotations("ballast", "x".repeat(250 << 10))
					.endMetadata()
					.build())
				.create();
		}
		Path log = folder.resolve("sharder.log");
		WatchedProcess sharder = start(log);
		try {
			await().untilAsserted(() -> {
				assertThat(sharder.isAlive()).as(() -> read(log)).isTrue();
				assertThat(condition(SELECTING, "Ready").getStatus()).isEqualTo("True");
			});
			collect(sharder.pid());
			// As when somebody writes them again.
			this.client.leases()
				.inNamespace("default")
				.withName("ballast-0")
				.edit((lease) -> new LeaseBuilder(lease).editMetadata()
					.addToLabels("again", "true")
					.endMetadata()
					.build());
			collect(sharder.pid());
			assertThat(sharder.isAlive()).as(() -> read(log)).isTrue();
			assertThat(read(log)).doesNotContain("is nearly full");
		}
		finally {
			sharder.killNow();
			this.client.resources(ControllerRing.class).withName(SELECTING).delete();
			this.client.leases().inNamespace("default").withLabel(ShardingLabels.LEASE_RING, BALLAST).delete();
			IntStream.range(0, MOST).forEach((i) -> this.client.namespaces().withName("long-" + i).edit((namespace) -> {
				namespace.getMetadata().setAnnotations(Map.of());
				namespace.getMetadata().getLabels().remove("team");
				return namespace;
			}));
		}
	}

	@Test
	void keepsOfObjectsThatAreDrainedNothingThatIsLong(@TempDir Path folder) throws Exception {
		ring(DRAINED, null);
		for (int i = 0; i < MOST; i++) {
			create(secret("drained-" + i).addToLabels(ShardingLabels.shard(DRAINED), "shard-a")
				.addToLabels(ShardingLabels.drain(DRAINED), "true")
				.addToAnnotations("ballast", "x".repeat(250 << 10)));
		}
		this.client.leases().inNamespace("default").resource(shard("shard-a")).create();
		Path log = folder.resolve("sharder.log");
		WatchedProcess sharder = start(log);
		try {
			// Nothing is assigned before all drains are known, or 5 seconds have passed.
			create(secret("new"));
			await().untilAsserted(() -> {
				assertThat(sharder.isAlive()).as(() -> read(log)).isTrue();
				assertThat(this.client.secrets().inNamespace("default").withName("new").get().getMetadata().getLabels())
					.containsEntry(ShardingLabels.shard(DRAINED), "shard-a");
			});
			collect(sharder.pid());
			assertThat(sharder.isAlive()).as(() -> read(log)).isTrue();
			assertThat(read(log)).doesNotContain("is nearly full");
		}
		finally {
			sharder.killNow();
			this.client.resources(ControllerRing.class).withName(DRAINED).delete();
			this.client.secrets().inNamespace("default").delete();
		}
	}

	private void ring(String name, LabelSelector namespaces) {
		CustomResourceDefinitions.apply(this.client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
		ControllerRing ring = new ControllerRing();
		ring.setMetadata(new ObjectMetaBuilder().withName(name).build());
		ring.setSpec(new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())), namespaces));
		this.client.resource(ring).create();
	}

	private WatchedProcess start(Path log) throws IOException {
		return WatchedProcess.start(List.of("/usr/bin/env", "KUBECONFIG=" + this.controlPlane.admin().kubeconfigFile(),
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx96m", "-XX:+UseSerialGC",
				"-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError", "-cp", System.getProperty("java.class.path"),
				SharderApplication.class.getName(), "--server.port=0",
				"--sharding.sharder.leader-election.lease-duration=4s"), log);
	}

	private static ObjectMetaBuilder secret(String name) {
		return new ObjectMetaBuilder().withNamespace("default").withName(name);
	}

	private void create(ObjectMetaBuilder secret) {
		this.client.resource(new SecretBuilder().withMetadata(secret.build()).build()).create();
	}

	private static Lease shard(String name) {
		return new LeaseBuilder().withNewMetadata()
			.withName(name)
			.addToLabels(ShardingLabels.LEASE_RING, DRAINED)
			.endMetadata()
			.withNewSpec()
			.withHolderIdentity(name)
			.withLeaseDurationSeconds(600)
			.withAcquireTime(ZonedDateTime.now())
			.withRenewTime(ZonedDateTime.now())
			.endSpec()
			.build();
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(4)).pollInterval(Duration.ofMillis(500));
	}

	private Condition condition() {
		return condition(RING, "MemorySufficient");
	}

	private Condition condition(String name, String type) {
		ControllerRing ring = this.client.resources(ControllerRing.class).withName(name).get();
		return (ring.getStatus() == null) ? new Condition()
				: ring.getStatus()
					.conditions()
					.stream()
					.filter((condition) -> type.equals(condition.getType()))
					.findFirst()
					.orElseGet(Condition::new);
	}

	/* Of a ring that nobody serves: it is read and kept, and nothing follows. */
	private void lease(int number) {
		this.client.leases()
			.inNamespace("default")
			.resource(new LeaseBuilder().withNewMetadata()
				.withName("ballast-" + number)
				.addToLabels(ShardingLabels.LEASE_RING, BALLAST)
				.addToAnnotations("ballast", "x".repeat(250 << 10))
				.endMetadata()
				.build())
			.create();
	}

	/* In no ring: it is read and kept, and nothing follows. */
	private void namespaceWithLabels(int number) {
		Map<String, String> labels = new HashMap<>();
		for (int i = 0; i < LABELS; i++) {
			labels.put("ballast.example.com/of-namespace-%d-label-%d".formatted(number, i),
					"x".repeat(50) + number + "-" + i);
		}
		this.client
			.resource(new NamespaceBuilder().withNewMetadata()
				.withName("ballast-" + number)
				.withLabels(labels)
				.endMetadata()
				.build())
			.create();
	}

	private void takeLabelsOff(int number) {
		this.client.namespaces().withName("ballast-" + number).edit((namespace) -> {
			namespace.getMetadata().setLabels(Map.of());
			return namespace;
		});
	}

	/* So that it depends on nothing else when the JVM looks. */
	private static void collect(long pid) throws IOException, InterruptedException {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
				String.valueOf(pid), "GC.run")
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
		assertThat(process.exitValue()).isZero();
	}

	private static String read(Path log) {
		try {
			return Files.readString(log);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

}
