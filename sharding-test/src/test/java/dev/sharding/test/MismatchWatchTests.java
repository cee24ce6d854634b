package dev.sharding.test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class MismatchWatchTests {

	private static final int HALTED = 70;

	@TempDir
	private Path folder;

	@Test
	void endsARunThatLogsAMismatch() throws Exception {
		assertThat(run(LogsMismatch.class)).isEqualTo(HALTED);
		assertThat(log()).contains("Cache differs from the API server, listing anew resource=secrets",
				"Ending the run of tests, as sharding.test.halt-on-mismatch says");
	}

	@Test
	void endsARunOfWhichAnotherProcessLogsAMismatch() throws Exception {
		assertThat(run(StartsProcess.class)).isEqualTo(HALTED);
		assertThat(log()).contains("other.log", "Cache differs from the API server");
	}

	@Test
	void leavesOtherRunsAlone() throws Exception {
		assertThat(run(LogsNothing.class)).isZero();
	}

	private int run(Class<?> tests) throws Exception {
		WatchedProcess run = WatchedProcess.start(List.of(System.getProperty("java.home") + "/bin/java",
				"-Dsharding.test.halt-on-mismatch=true", "-Dother.log=" + this.folder.resolve("other.log"), "-cp",
				System.getProperty("java.class.path"), OneTestClass.class.getName(), tests.getName()), runLog());
		try {
			return run.onExit().get(60, TimeUnit.SECONDS);
		}
		finally {
			run.killNow();
		}
	}

	private Path runLog() {
		return this.folder.resolve("run.log");
	}

	private String log() throws Exception {
		return Files.readString(runLog());
	}

	/** Not run by itself, as those below. */
	static class LogsMismatch {

		@Test
		void differs() {
			LoggerFactory.getLogger("detector")
				.error("Cache differs from the API server, listing anew resource={}", "secrets");
		}

	}

	static class LogsNothing {

		@Test
		void succeeds() {
			LoggerFactory.getLogger("detector").error("Cache is as the API server says");
		}

	}

	static class StartsProcess {

		@Test
		void differs() throws Exception {
			WatchedProcess other = WatchedProcess.start(List.of("/bin/sh", "-c",
					"echo Cache differs from the API server; exec sleep 60", "-Dsharding.cache.check-millis=2000"),
					Path.of(System.getProperty("other.log")));
			assertThat(other.awaitExit(60, TimeUnit.SECONDS)).as("this JVM ends first").isFalse();
		}

	}

}
