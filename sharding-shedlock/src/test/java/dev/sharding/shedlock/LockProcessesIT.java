package dev.sharding.shedlock;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;
import dev.sharding.test.WatchedProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes that share a lock, whose wall clocks are two hours apart. The API server
 * tells in which order they acted: never did one act again after the other had begun.
 */
@ControlPlaneTest
class LockProcessesIT {

	private static final long HOUR = Duration.ofHours(1).toMillis();

	@TempDir
	private Path folder;

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final String namespace;

	private final List<WatchedProcess> processes = new ArrayList<>();

	LockProcessesIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.client = client;
		this.namespace = namespace;
	}

	@AfterEach
	void end() {
		for (WatchedProcess process : this.processes) {
			process.killNow();
			process.awaitExit(30, TimeUnit.SECONDS);
		}
		this.client.configMaps().inNamespace(this.namespace).withLabel("act").delete();
		this.client.leases().inNamespace(this.namespace).delete();
	}

	@Test
	void whoIsPausedInTheMiddleOfAJobActsNoMoreForIt() throws IOException {
		WatchedProcess one = start("one", HOUR, this.controlPlane.admin());
		start("two", -HOUR, this.controlPlane.admin());
		soon().until(() -> acted("one") && acted("two"));
		hold("one");
		assertThat(one.signal("STOP")).isTrue();
		int before = terms().size();
		soon().until(() -> terms().size() > before);
		release("one");
		assertThat(one.signal("CONT")).isTrue();
		assertActsNoMoreForThatTerm("one");
	}

	@Test
	void whoIsCutOffInTheMiddleOfAJobActsNoMoreForIt() throws IOException {
		try (TcpProxy link = TcpProxy.to(this.controlPlane.apiServer())) {
			start("one", -HOUR, this.controlPlane.admin().through(link));
			start("two", HOUR, this.controlPlane.admin());
			soon().until(() -> acted("one") && acted("two"));
			hold("one");
			link.refuse();
			int before = terms().size();
			soon().until(() -> terms().size() > before);
			link.heal();
			release("one");
			assertActsNoMoreForThatTerm("one");
		}
	}

	/* It is refused, acts again in terms of its own, and never did two act at a time. */
	private void assertActsNoMoreForThatTerm(String name) throws IOException {
		Path refused = this.folder.resolve("refused." + name);
		soon().until(() -> Files.exists(refused) && !Files.readString(refused).isEmpty());
		String term = Files.readString(refused);
		List<String> known = terms();
		int before = known.size();
		assertThat(known.get(before - 1)).isNotEqualTo(term);
		soon().until(() -> terms().stream().skip(before).anyMatch((later) -> later.startsWith(name + "-")));
		// Where all is quick there are four by now; both go on.
		soon().until(() -> terms().size() > 4);
		List<String> terms = terms();
		assertThat(terms).doesNotHaveDuplicates();
		assertThat(terms.subList(before, terms.size())).doesNotContain(term);
		assertThat(this.processes).allMatch(WatchedProcess::isAlive);
	}

	/** In the order of the API server; one that was interrupted is there twice. */
	private List<String> terms() {
		List<String> terms = new ArrayList<>();
		this.client.configMaps()
			.inNamespace(this.namespace)
			.withLabel("act")
			.list()
			.getItems()
			.stream()
			.sorted(Comparator.comparing((act) -> new BigInteger(act.getMetadata().getResourceVersion())))
			.map((act) -> act.getData().get("term"))
			.forEach((term) -> {
				if (terms.isEmpty() || !terms.get(terms.size() - 1).equals(term)) {
					terms.add(term);
				}
			});
		return terms;
	}

	private boolean acted(String name) {
		Set<String> by = new LinkedHashSet<>();
		terms().forEach((term) -> by.add(term.substring(0, term.indexOf('-'))));
		return by.contains(name);
	}

	private void hold(String name) throws IOException {
		Files.deleteIfExists(this.folder.resolve("reached." + name));
		Files.writeString(this.folder.resolve("hold." + name), "");
		soon().until(() -> Files.exists(this.folder.resolve("reached." + name)));
	}

	private void release(String name) throws IOException {
		Files.delete(this.folder.resolve("hold." + name));
	}

	private WatchedProcess start(String name, long offMillis, Access access) throws IOException {
		WatchedProcess process = WatchedProcess.start(List.of("/usr/bin/env", "KUBECONFIG=" + access.kubeconfigFile(),
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-Xmx96m", "-cp", System.getProperty("java.class.path"),
				LockProcess.class.getName(), name, this.namespace, this.folder.toString(), String.valueOf(offMillis),
				"6"), this.folder.resolve(name + ".log"));
		this.processes.add(process);
		return process;
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(120)).pollInterval(Duration.ofMillis(100));
	}

}
