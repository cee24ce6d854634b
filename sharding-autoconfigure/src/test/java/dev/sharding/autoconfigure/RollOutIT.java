package dev.sharding.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.WatchedProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the shards of a ring send together while a Deployment replaces them, each by a
 * process of its own: counted by the audit log of the API server. Another look period is
 * measured with {@code -Dqos.rollout.period=10s}, more of them with
 * {@code -Dqos.rollout.members=4}.
 */
class RollOutIT {

	private static final Logger logger = LoggerFactory.getLogger(RollOutIT.class);

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> builder.auditPolicy("""
			apiVersion: audit.k8s.io/v1
			kind: Policy
			omitStages: [RequestReceived]
			rules:
			- level: Metadata
			  verbs: [get]
			  resources: [{ group: "", resources: [configmaps], resourceNames: [counted] }]
			- level: None
			"""));

	private static final Pattern RECEIVED = Pattern.compile("\"requestReceivedTimestamp\":\"([^\"]+)\"");

	private static final String PERIOD = System.getProperty("qos.rollout.period", "2s");

	private static final int MEMBERS = Integer.getInteger("qos.rollout.members", 3);

	/* A second, of all shards together. */
	private static final int FIGURE = 40;

	private static final Duration WINDOW = Duration.ofSeconds(10);

	/* As minReadySeconds of a Deployment: how long there is one more than before. */
	private static final Duration OVERLAP = Duration.ofSeconds(5);

	private final List<WatchedProcess> processes = new ArrayList<>();

	private final ControlPlane cluster;

	private final KubernetesClient client;

	@TempDir
	private Path folder;

	RollOutIT(ControlPlane cluster, KubernetesClient client) {
		this.cluster = cluster;
		this.client = client;
	}

	@AfterEach
	void end() {
		this.processes.forEach(WatchedProcess::killNow);
	}

	@Test
	void tenSecondsOfARollOutStayWithinATenthOfTheFigure() {
		World world = World.withRings(this.cluster, this.client, "default");
		world.ring("roll-out", "secrets", "configmaps");
		new ApplicationContextRunner().withConfiguration(Apps.everything())
			.withBean("kubernetesClient", KubernetesClient.class, () -> this.client,
					(definition) -> ((AbstractBeanDefinition) definition).setDestroyMethodName(""))
			.withPropertyValues("sharding.sharder.enabled=true", "sharding.sharder.leader-election.enabled=false")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				rollOut(world);
			});
	}

	private void rollOut(World world) throws IOException {
		for (int i = 1; i <= MEMBERS; i++) {
			start(i);
		}
		available(world, MEMBERS);
		// Five looks, until the last one is no newcomer any more.
		settle(Duration.ofSeconds(5));
		settle(DurationStyle.detectAndParse(PERIOD).multipliedBy(6));
		Instant from = Instant.now();
		for (int i = 1; i <= MEMBERS; i++) {
			start(MEMBERS + i);
			available(world, MEMBERS + 1);
			settle(OVERLAP);
			this.processes.get(i - 1).signal("TERM");
			available(world, MEMBERS);
		}
		settle(WINDOW);
		Instant to = Instant.now();
		List<Instant> sent = sent().filter((time) -> time.isAfter(from) && time.isBefore(to)).sorted().toList();
		int most = 0;
		int first = 0;
		Instant when = from;
		for (int last = 0; last < sent.size(); last++) {
			while (!sent.get(last).isBefore(sent.get(first).plus(WINDOW))) {
				first++;
			}
			if (last - first + 1 > most) {
				most = last - first + 1;
				when = sent.get(first);
			}
		}
		double seconds = Duration.between(from, to).toMillis() / 1e3;
		logger.info(
				"Roll-out of {} shards in {} s, look period {}: {} requests, most in 10 s {} of {} ({} s after the start)",
				MEMBERS, seconds, PERIOD, sent.size(), most, 10 * FIGURE, Duration.between(from, when).toSeconds());
		assertThat(sent.size()).as("requests").isGreaterThan((int) (seconds * FIGURE / 2));
		assertThat(most).isLessThanOrEqualTo((int) (10 * FIGURE * 1.1));
	}

	private static void settle(Duration duration) {
		Instant until = Instant.now().plus(duration);
		Awaitility.await().atMost(duration.plusMinutes(1)).until(() -> Instant.now().isAfter(until));
	}

	private static void available(World world, int count) {
		World.soon()
			.untilAsserted(() -> assertThat(world.client()
				.genericKubernetesResources(World.RINGS)
				.withName("roll-out")
				.get()
				.<Number>get("status", "availableShards")).hasToString(String.valueOf(count)));
	}

	private void start(int number) throws IOException {
		List<String> command = new ArrayList<>(List.of("/usr/bin/env",
				"KUBECONFIG=" + this.cluster.admin().kubeconfigFile(),
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-Xmx128m", "-cp", System.getProperty("java.class.path"),
				RollOutShard.class.getName(), "--sharding.ring=roll-out", "--sharding.shard-name=shard-" + number,
				"--sharding.lease.namespace=default", "--sharding.namespaces=default", "--sharding.qos.enabled=true",
				"--sharding.qos.built-in-rules=false", "--sharding.qos.membership-period=" + PERIOD,
				"--sharding.qos.classes.all.kind=token-bucket", "--sharding.qos.classes.all.qps=" + FIGURE,
				"--sharding.qos.classes.all.burst=1", "--sharding.qos.rules.counted.priority=1",
				"--sharding.qos.rules.counted.qos-class=all", "--sharding.qos.rules.counted.scope=ring",
				"--sharding.qos.rules.counted.max-wait=5s",
				"--sharding.qos.rules.counted.paths=/api/v1/namespaces/default/configmaps/counted"));
		this.processes.add(WatchedProcess.start(command, this.folder.resolve("shard-" + number + ".log")));
	}

	private Stream<Instant> sent() throws IOException {
		return Files.readAllLines(this.cluster.apiServer().auditLog())
			.stream()
			.map(RECEIVED::matcher)
			.filter(Matcher::find)
			.map((matcher) -> Instant.parse(matcher.group(1)));
	}

}
