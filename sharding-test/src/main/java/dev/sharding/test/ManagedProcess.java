package dev.sharding.test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One program of the control plane, over any number of starts with the same command, thus
 * on the same port and with the same data.
 *
 * <p>
 * Its methods can be called from any thread. A process that ends without having been
 * asked to counts as died until it is started again.
 */
public final class ManagedProcess {

	private static final Logger log = LoggerFactory.getLogger(ManagedProcess.class);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

	private static final int QUOTED_LINES = 20;

	private final String name;

	private final List<String> command;

	private final Path logFile;

	private final Readiness readiness;

	private final Consumer<ManagedProcess> onDeath;

	private volatile @Nullable WatchedProcess current;

	private volatile boolean expectedToRun;

	ManagedProcess(String name, List<String> command, Path logFile, Readiness readiness,
			Consumer<ManagedProcess> onDeath) {
		this.name = name;
		this.command = command;
		this.logFile = logFile;
		this.readiness = readiness;
		this.onDeath = onDeath;
	}

	/** The name for messages, such as "etcd". */
	public String name() {
		return this.name;
	}

	/** Where the program logs, over all its starts. */
	public Path logFile() {
		return this.logFile;
	}

	/**
	 * The process id of the program.
	 * @return empty if it does not run
	 */
	public Optional<Long> pid() {
		WatchedProcess process = this.current;
		return (process != null && process.isAlive()) ? Optional.of(process.pid()) : Optional.empty();
	}

	/** Whether the process exists; a paused process is alive. */
	public boolean isAlive() {
		return pid().isPresent();
	}

	/**
	 * Starts the program and waits until it is ready.
	 * @throws ControlPlaneDiedException if it ends before it is ready
	 * @throws IllegalStateException if it runs already, or is not ready in time; it is
	 * then killed
	 */
	public void start() {
		launch();
		awaitReady();
	}

	/** Starts the program and does not wait. */
	synchronized void launch() {
		if (isAlive()) {
			throw new IllegalStateException(this.name + " runs already");
		}
		try {
			WatchedProcess process = WatchedProcess.start(this.command, this.logFile);
			this.current = process;
			this.expectedToRun = true;
			CompletableFuture<Void> unused = process.onExit().thenRun(() -> ended(process));
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to start " + this.name, ex);
		}
	}

	private void ended(WatchedProcess process) {
		if (this.expectedToRun && process == this.current) {
			log.warn("Control plane process ended unexpectedly process={} pid={} log={}", this.name, process.pid(),
					this.logFile);
			this.onDeath.accept(this);
		}
	}

	/** Waits until the program answers. */
	void awaitReady() {
		try {
			this.readiness.await(this);
		}
		catch (RuntimeException ex) {
			kill();
			throw ex;
		}
	}

	/** Asks the program to end (SIGTERM), waits, and kills it if it does not. */
	public synchronized void stop() {
		WatchedProcess process = this.current;
		this.expectedToRun = false;
		if (process == null || !process.isAlive()) {
			return;
		}
		// A paused process would see the other signal only after it was resumed.
		boolean asked = process.signal("CONT") && process.signal("TERM");
		if (asked && !process.awaitExit(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
			log.warn("Killing what does not stop within {} seconds: {}", STOP_TIMEOUT.toSeconds(), this.name);
			kill();
		}
	}

	/**
	 * Kills the program (SIGKILL) and waits until it has ended. Works on a paused one.
	 */
	public synchronized void kill() {
		WatchedProcess process = this.current;
		this.expectedToRun = false;
		if (process != null && process.isAlive()) {
			process.killNow();
			process.awaitExit(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
		}
	}

	/**
	 * Pauses the program (SIGSTOP): its connections stay open and nothing answers.
	 */
	public void pause() {
		signal("STOP");
	}

	/** Lets a paused program go on (SIGCONT). */
	public void resume() {
		signal("CONT");
	}

	private void signal(String signal) {
		WatchedProcess process = this.current;
		if (process == null || !process.signal(signal)) {
			throw new IllegalStateException("Failed to send SIG" + signal + " to " + this.name + ": it does not run");
		}
	}

	/**
	 * Stops the program in an orderly way, starts it again, and waits until it is ready.
	 */
	public void restart() {
		stop();
		start();
	}

	/** Whether it ended without having been asked to. */
	boolean hasDied() {
		return this.expectedToRun && !isAlive();
	}

	/** What to say when the program has ended. */
	ControlPlaneDiedException died() {
		return new ControlPlaneDiedException(
				this.name + " ended unexpectedly. The last lines of " + this.logFile + ":\n" + lastLines());
	}

	/** The last lines of the log. */
	public String lastLines() {
		return LogTail.of(this.logFile, QUOTED_LINES);
	}

	@Override
	public String toString() {
		return this.name + pid().map((pid) -> "[pid " + pid + "]").orElse("[not running]");
	}

	/** How to find out that a program answers. */
	@FunctionalInterface
	interface Readiness {

		/**
		 * Returns when the program answers.
		 * @throws ControlPlaneDiedException if the program ends first
		 * @throws IllegalStateException if it takes too long
		 */
		void await(ManagedProcess process);

	}

}
