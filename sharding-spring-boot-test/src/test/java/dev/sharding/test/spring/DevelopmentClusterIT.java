package dev.sharding.test.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.protocol.ShardingLabels;

import static org.assertj.core.api.Assertions.assertThat;

class DevelopmentClusterIT {

	private static final String RING = "copies";

	@TempDir
	private Path folder;

	private Process application;

	@AfterEach
	void end() throws InterruptedException {
		List<ProcessHandle> all = new ArrayList<>(this.application.descendants().toList());
		this.application.destroyForcibly().waitFor();
		// Their watchdogs end them.
		soon().until(() -> all.stream().noneMatch(ProcessHandle::isAlive));
	}

	@Test
	void bringsEverythingAndTakesItAway() throws Exception {
		start("--sharding.development.shards=2", "--sharding.lease.duration=15s", "--spring.profiles.active=slots");
		try (KubernetesClient client = client()) {
			soon().until(() -> isReady(client, 2));
			assertThat(Files.getPosixFilePermissions(kubeconfig()))
				.isEqualTo(PosixFilePermissions.fromString("rw-------"));
			List<String> names = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				names.add(create(client, "shared-" + i));
			}
			soon().untilAsserted(() -> assertThat(shardsOf(client, names)).containsExactly("shard-1", "shard-2"));
			// What it made follows its Secret, also where that has gone on to the second
			// shard.
			soon().untilAsserted(() -> assertThat(names).allSatisfy((name) -> assertThat(madeBy(client, name))
				.isEqualTo(label(client.secrets().inNamespace("default").withName(name).get().getMetadata()))));
		}
		List<ProcessHandle> all = this.application.descendants().toList();
		assertThat(all).hasSizeGreaterThanOrEqualTo(3);
		this.application.destroy();
		assertThat(this.application.waitFor(5, TimeUnit.MINUTES)).isTrue();
		soon().until(() -> all.stream().noneMatch(ProcessHandle::isAlive));
		// The API server was there until everybody had said goodbye.
		assertThat(output()).doesNotContain("Connection refused", "ControlPlaneDied", " ERROR ");
		assertThat(Files.readString(this.folder.resolve("shard-2.log"))).doesNotContain("Connection refused",
				" ERROR ");
	}

	@Test
	void takesItsShardsAlongWhenItDies() throws Exception {
		Path classes = startWithDeveloperTools("--sharding.development.shards=2", "--sharding.lease.duration=10s");
		try (KubernetesClient client = client()) {
			soon().until(() -> isReady(client, 2));
		}
		List<ProcessHandle> shards = descendants(
				(program) -> program.commandLine().orElse("").contains("-Dsharding.shard-name=shard-2"));
		assertThat(shards).isNotEmpty();
		List<ProcessHandle> servers = descendants(
				(program) -> program.command().orElse("").endsWith("/kube-apiserver"));
		assertThat(servers).hasSize(1).allMatch(ProcessHandle::destroyForcibly);
		soon().until(() -> servers.stream().noneMatch(ProcessHandle::isAlive));
		Files.writeString(classes.resolve("changed.properties"), "text=changed");
		soon().until(() -> output().split("Development cluster is up", -1).length == 3);
		soon().until(() -> shards.stream().noneMatch(ProcessHandle::isAlive));
		try (KubernetesClient client = client()) {
			soon().until(() -> isReady(client, 2));
		}
	}

	private List<ProcessHandle> descendants(Predicate<ProcessHandle.Info> wanted) {
		return this.application.descendants().filter((process) -> wanted.test(process.info())).toList();
	}

	@Test
	void staysWhenDeveloperToolsRestartTheApplication() throws Exception {
		Path classes = startWithDeveloperTools();
		try (KubernetesClient client = client()) {
			String before = create(client, "before");
			soon().untilAsserted(() -> assertThat(madeBy(client, before)).isEqualTo("shard-1"));
			String cluster = Files.readString(kubeconfig());
			Files.writeString(classes.resolve("changed.properties"), "text=changed");
			soon().untilAsserted(() -> assertThat(starts()).as(this::output).isEqualTo(2));
			String after = create(client, "after");
			soon().untilAsserted(() -> assertThat(madeBy(client, after)).isEqualTo("shard-1"));
			assertThat(client.secrets().inNamespace("default").withName(before).get()).isNotNull();
			assertThat(Files.readString(kubeconfig())).isEqualTo(cluster);
		}
	}

	@Test
	void aSettingThatIsNoneEndsTheStart() throws Exception {
		start("--sharding.development.shard=2");
		assertThat(this.application.waitFor(5, TimeUnit.MINUTES)).isTrue();
		assertThat(output()).contains("sharding.development.shard").doesNotContain("Development cluster is up");
	}

	/* Returns where they look for changes. */
	private Path startWithDeveloperTools(String... arguments) throws IOException {
		Path classes = Files.createDirectory(this.folder.resolve("classes"));
		List<String> all = new ArrayList<>(List.of("--spring.devtools.restart.additional-paths=" + classes,
				"--spring.devtools.restart.poll-interval=200ms", "--spring.devtools.restart.quiet-period=100ms",
				"--spring.devtools.livereload.enabled=false"));
		all.addAll(List.of(arguments));
		start(all.toArray(String[]::new));
		return classes;
	}

	private void start(String... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-cp", System.getProperty("java.class.path"), DevelopedApplication.class.getName(),
						"--sharding.ring=" + RING, "--sharding.development.folder=" + this.folder));
		command.addAll(List.of(arguments));
		this.application = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(this.folder.resolve("output").toFile())
			.start();
	}

	private KubernetesClient client() {
		soon().untilAsserted(() -> assertThat(output()).contains("Development cluster is up"));
		return new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(kubeconfig().toFile())).build();
	}

	private Path kubeconfig() {
		return this.folder.resolve("kubeconfig");
	}

	private String output() {
		try {
			return Files.readString(this.folder.resolve("output"));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private long starts() {
		Matcher started = Pattern.compile("Started \\S+ in ").matcher(output());
		return started.results().count();
	}

	private static boolean isReady(KubernetesClient client, int shards) {
		ControllerRing ring = client.resources(ControllerRing.class).withName(RING).get();
		return ring != null && ring.getStatus() != null && ring.getStatus().availableShards() == shards;
	}

	private static String create(KubernetesClient client, String name) {
		client
			.resource(
					new SecretBuilder().withNewMetadata().withNamespace("default").withName(name).endMetadata().build())
			.create();
		return name;
	}

	private static Set<String> shardsOf(KubernetesClient client, List<String> names) {
		Set<String> shards = new TreeSet<>();
		for (Secret secret : client.secrets().inNamespace("default").list().getItems()) {
			if (names.contains(secret.getMetadata().getName())) {
				shards.add(label(secret.getMetadata()));
			}
		}
		return shards;
	}

	private static String label(ObjectMeta metadata) {
		return metadata.getLabels().getOrDefault(ShardingLabels.shard(RING), "nobody");
	}

	private static String madeBy(KubernetesClient client, String name) {
		ConfigMap note = client.configMaps().inNamespace("default").withName(name).get();
		return (note != null) ? note.getData().get("shard") : "nobody";
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofMinutes(5)).pollInterval(Duration.ofMillis(100));
	}

}
