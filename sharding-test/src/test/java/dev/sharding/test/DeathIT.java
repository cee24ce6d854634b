package dev.sharding.test;

import java.nio.file.Path;
import java.time.Duration;

import dev.sharding.controlplane.NamedCluster;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.EventConditions.test;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.instanceOf;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

class DeathIT {

	/* How long the waiting tests would wait if nobody woke them. */
	private static final Duration FOREVER = Duration.ofMinutes(4);

	@Test
	void waitingTestFailsWithLastLogLinesWhenApiServerDies() {
		Duration start = Duration.ofNanos(System.nanoTime());
		Events tests = EngineTestKit.engine("junit-jupiter")
			.selectors(selectClass(WaitingCase.class))
			.execute()
			.testEvents();
		tests.assertStatistics((statistics) -> statistics.started(2).failed(2));
		tests.assertThatEvents()
			.haveExactly(2, event(test(), finishedWithFailure(instanceOf(ControlPlaneDiedException.class), message(
					(text) -> text.startsWith("kube-apiserver ended unexpectedly") && text.lines().count() > 5))));
		assertThat(Duration.ofNanos(System.nanoTime()).minus(start)).isLessThan(FOREVER.dividedBy(2));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void testThatBeginsAfterTheDeathFailsToo() {
		EngineTestKit.engine("junit-jupiter")
			.selectors(selectClass(DeadCase.class))
			.execute()
			.testEvents()
			.assertThatEvents()
			.haveExactly(2, event(test(), finishedWithFailure(instanceOf(ControlPlaneDiedException.class))));
	}

	@Test
	void sharedControlPlaneIsReplacedAfterItDied() {
		assumeThat(NamedCluster.find()).isEmpty();
		try (SharedCluster shared = new SharedCluster()) {
			TestCluster first = shared.get();
			assertThat(shared.get()).isSameAs(first);
			ManagedProcess etcd = first.controlPlane().orElseThrow().etcd().process();
			ProcessHandle.of(etcd.pid().orElseThrow()).ifPresent(ProcessHandle::destroyForcibly);
			await().atMost(Duration.ofMinutes(1)).until(etcd::hasDied);
			Path logs = first.controlPlane().orElseThrow().logs();
			TestCluster second = shared.get();
			assertThat(logs.resolve("etcd.log")).exists();
			assertThat(logs.resolve("etcd")).doesNotExist();
			assertThat(second).isNotSameAs(first);
			assertThat(second.client().raw("/readyz")).isEqualTo("ok");
		}
	}

	/* Run by the first test; its name keeps it from being run by itself. */
	static class WaitingCase {

		@RegisterExtension
		static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
		});

		@Test
		void awaits(ControlPlane controlPlane) {
			killApiServer(controlPlane);
			await().pollInterval(Duration.ofMillis(50)).atMost(FOREVER).until(() -> false);
		}

		@Test
		void asksServer(ControlPlane controlPlane, KubernetesClient client) {
			killApiServer(controlPlane);
			while (true) {
				client.configMaps().inNamespace("default").list();
			}
		}

		private static void killApiServer(ControlPlane controlPlane) {
			ManagedProcess server = controlPlane.apiServer().process();
			if (!server.isAlive()) {
				server.start();
			}
			ProcessHandle.of(server.pid().orElseThrow()).ifPresent(ProcessHandle::destroyForcibly);
		}

	}

	/* Each of the two waits for ever; only the first of them sees the death. */
	static class DeadCase {

		@RegisterExtension
		static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
		});

		@RepeatedTest(2)
		void waits(ControlPlane controlPlane) {
			controlPlane.etcd().process().pid().flatMap(ProcessHandle::of).ifPresent(ProcessHandle::destroyForcibly);
			await().atMost(FOREVER).until(() -> false);
		}

	}

}
