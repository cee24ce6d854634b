package dev.sharding.test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class ManagedProcessTests {

	private static final long PATIENCE_SECONDS = 30;

	@TempDir
	private Path folder;

	private final CompletableFuture<ManagedProcess> death = new CompletableFuture<>();

	private ManagedProcess process;

	@AfterEach
	void kill() {
		this.process.kill();
	}

	@Test
	void reportsDeathThatNobodyAskedFor() throws Exception {
		this.process = process("echo last words; sleep 60 & wait", (it) -> {
		});
		this.process.start();
		ProcessHandle.of(this.process.pid().orElseThrow()).ifPresent(ProcessHandle::destroyForcibly);
		assertThat(this.death.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isSameAs(this.process);
		assertThat(this.process.hasDied()).isTrue();
		assertThat(this.process.died()).hasMessageStartingWith("program ended unexpectedly");
	}

	@Test
	void doesNotReportDeathThatWasAskedFor() {
		this.process = process("exec sleep 60", (it) -> {
		});
		this.process.start();
		this.process.kill();
		assertThat(this.process.isAlive()).isFalse();
		this.process.start();
		this.process.stop();
		assertThat(this.process.isAlive()).isFalse();
		assertThat(this.process.hasDied()).isFalse();
		assertThat(this.death).isNotDone();
	}

	@Test
	void quotesLogWhenProgramEndsBeforeItIsReady() {
		this.process = process("echo flag provided but not defined; exit 3",
				(it) -> Waits.untilReady(it, Duration.ofSeconds(PATIENCE_SECONDS), () -> false));
		assertThatExceptionOfType(ControlPlaneDiedException.class).isThrownBy(() -> this.process.start())
			.withMessageContaining("flag provided but not defined");
	}

	@Test
	void killsProgramThatIsNotReadyInTime() {
		this.process = process("echo still loading; exec sleep 60",
				(it) -> Waits.untilReady(it, Duration.ofMillis(500), () -> false));
		assertThatIllegalStateException().isThrownBy(() -> this.process.start())
			.withMessageContaining("not ready within")
			.withMessageContaining("still loading");
		assertThat(this.process.isAlive()).isFalse();
	}

	@Test
	void appendsToOneLogOverAllStarts() throws Exception {
		this.process = process("echo started; exec sleep 60", (it) -> Waits.untilReady(it,
				Duration.ofSeconds(PATIENCE_SECONDS), () -> it.lastLines().endsWith("started")));
		this.process.start();
		this.process.restart();
		// The shell may add a line that says how the first run ended.
		Waits.until(Duration.ofSeconds(PATIENCE_SECONDS), "second line",
				() -> LogTail.of(this.process.logFile(), 5).lines().filter("started"::equals).count() == 2);
		assertThat(Files.readString(this.process.logFile())).startsWith("started").endsWith("started\n");
	}

	private ManagedProcess process(String script, ManagedProcess.Readiness readiness) {
		return new ManagedProcess("program", List.of("/bin/sh", "-c", script), this.folder.resolve("program.log"),
				readiness, this.death::complete);
	}

}
