package dev.sharding.test;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * One run of a program under the watchdog script: signals reach the program itself, and
 * the program is killed when this JVM ends, also by {@code kill -9}.
 */
public final class WatchedProcess {

	private static final Duration STOPPED_WITHIN = Duration.ofSeconds(10);

	private static final String SCRIPT = script();

	/*
	 * Away from the terminal: a Ctrl-C is for the JVM, which may need the program until
	 * it ends.
	 */
	private static final List<String> SESSION = session();

	private final Process watchdog;

	private final long pid;

	private WatchedProcess(Process watchdog, long pid) {
		this.watchdog = watchdog;
		this.pid = pid;
	}

	/**
	 * Starts a program.
	 * @param command the program and its arguments; begin with {@code /usr/bin/env
	 * NAME=value} to give it settings
	 * @param log where its output goes, at the end of what is there
	 * @return the running program
	 * @throws IOException if it cannot be started
	 */
	public static WatchedProcess start(List<String> command, Path log) throws IOException {
		long before = Files.exists(log) ? Files.size(log) : 0;
		List<String> wrapped = new ArrayList<>(SESSION);
		wrapped.addAll(List.of("/bin/sh", "-c", SCRIPT, "watchdog", log.toString()));
		wrapped.addAll(command);
		ProcessBuilder builder = new ProcessBuilder(wrapped)
			.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
		// Settings for a user's own etcd are not for ours.
		builder.environment().keySet().removeIf((name) -> name.startsWith("ETCD"));
		Process watchdog = builder.start();
		BufferedReader output = watchdog.inputReader();
		String line = output.readLine();
		if (line == null) {
			throw new IOException("Failed to start " + command.get(0) + " under /bin/sh, see " + log);
		}
		if (MismatchWatch.concerns(command)) {
			MismatchWatch.follow(log, before, watchdog::isAlive);
		}
		return new WatchedProcess(watchdog, Long.parseLong(line));
	}

	private static List<String> session() {
		String path = System.getenv().getOrDefault("PATH", "");
		return Stream.of(path.split(File.pathSeparator))
			.map((folder) -> Path.of(folder, "setsid"))
			.filter(Files::isExecutable)
			.findFirst()
			.map((program) -> List.of(program.toString()))
			.orElse(List.of());
	}

	private static String script() {
		try (InputStream resource = WatchedProcess.class.getResourceAsStream("watchdog.sh")) {
			if (resource == null) {
				throw new IllegalStateException("'watchdog.sh' is not in the jar");
			}
			return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to read 'watchdog.sh'", ex);
		}
	}

	/** The process id of the program, not of its watchdog. */
	public long pid() {
		return this.pid;
	}

	/** Whether the program runs; a paused one does. */
	public boolean isAlive() {
		return this.watchdog.isAlive();
	}

	/** Completed when the program has ended. */
	public CompletableFuture<Integer> onExit() {
		return this.watchdog.onExit().thenApply(Process::exitValue);
	}

	/**
	 * Sends a signal to the program. After "STOP" none of its threads goes on when this
	 * returns, where {@code /proc} tells.
	 * @param name a name that {@code kill} knows, such as "STOP"
	 * @return whether it was sent: false if the program has ended
	 */
	public boolean signal(String name) {
		boolean sent = send(name);
		if (sent && name.equals("STOP")) {
			awaitStopped();
		}
		return sent;
	}

	/*
	 * One thread has to get the processor to stop the others, which may answer for tens
	 * of milliseconds more on a busy machine.
	 */
	private void awaitStopped() {
		File threads = new File("/proc/" + this.pid + "/task");
		long deadline = System.nanoTime() + STOPPED_WITHIN.toNanos();
		while (isAlive() && System.nanoTime() - deadline < 0 && !haveStopped(threads.listFiles())) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
		}
	}

	private static boolean haveStopped(File @Nullable [] threads) {
		return threads == null || Stream.of(threads).allMatch(WatchedProcess::hasStopped);
	}

	private static boolean hasStopped(File thread) {
		try {
			String stat = Files.readString(thread.toPath().resolve("stat"), StandardCharsets.ISO_8859_1);
			// The name before the state may have parentheses itself.
			return "TtZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) >= 0;
		}
		catch (IOException ex) {
			// It has ended.
			return true;
		}
	}

	private boolean send(String name) {
		try {
			int status = new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + this.pid).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start()
				.waitFor();
			return status == 0 && isAlive();
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to send SIG" + name + " to process " + this.pid, ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	/** Ends the program as a power cut would. Returns at once, also if it has ended. */
	public void killNow() {
		ProcessHandle.of(this.pid).filter((handle) -> isAlive()).ifPresent(ProcessHandle::destroyForcibly);
	}

	/**
	 * Waits until the program has ended.
	 * @return whether it has
	 */
	public boolean awaitExit(long timeout, TimeUnit unit) {
		try {
			return this.watchdog.waitFor(timeout, unit);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
