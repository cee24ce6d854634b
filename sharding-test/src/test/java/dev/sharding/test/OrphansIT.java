package dev.sharding.test;

import java.io.BufferedReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class OrphansIT {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@Test
	void nothingIsLeftRunningWhenJvmIsKilled() throws Exception {
		Process jvm = start();
		try {
			List<ProcessHandle> family = family(jvm);
			assertThat(family).hasSizeGreaterThanOrEqualTo(4).allMatch(ProcessHandle::isAlive);
			// SIGKILL: no shutdown hook runs. One of the two programs is paused.
			jvm.destroyForcibly();
			await().atMost(PATIENCE).until(() -> family.stream().noneMatch(ProcessHandle::isAlive));
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	@Test
	void nothingIsLeftRunningWhenJvmExits() throws Exception {
		Process jvm = start("exit");
		try {
			List<ProcessHandle> family = family(jvm);
			assertThat(jvm.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
			await().atMost(PATIENCE).until(() -> family.stream().noneMatch(ProcessHandle::isAlive));
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	private static Process start(String... arguments) throws Exception {
		List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-cp",
				System.getProperty("java.class.path"), AbandonedControlPlane.class.getName()));
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
	}

	/* The two programs, and whatever else descends from the JVM: shells and guards. */
	private static List<ProcessHandle> family(Process jvm) throws Exception {
		BufferedReader output = jvm.inputReader();
		long etcd = Long.parseLong(output.readLine());
		long apiServer = Long.parseLong(output.readLine());
		List<ProcessHandle> family = new ArrayList<>(jvm.descendants().toList());
		ProcessHandle.of(etcd).ifPresent(family::add);
		ProcessHandle.of(apiServer).ifPresent(family::add);
		return family;
	}

}
