package dev.sharding.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.sharding.test.WatchedProcess;

/** A process in the play. It ends with this JVM at the latest, however that ends. */
public final class Actor {

	private final String name;

	private final String user;

	private final Path log;

	private final WatchedProcess process;

	private final Stops stops;

	private boolean paused;

	private Actor(String name, String user, Path log, WatchedProcess process, Stops stops) {
		this.name = name;
		this.user = user;
		this.log = log;
		this.process = process;
		this.stops = stops;
	}

	/**
	 * Starts the process.
	 * @param user whom the API server takes it for
	 * @param settings environment variables
	 * @param stops is told before the process is paused and after it was resumed
	 */
	static Actor start(String name, String user, List<String> command, Map<String, String> settings, Path logs,
			Stops stops) throws IOException {
		List<String> full = new ArrayList<>(List.of("/usr/bin/env"));
		settings.forEach((key, value) -> full.add(key + "=" + value));
		full.addAll(command);
		Path log = logs.resolve(name + ".log");
		return new Actor(name, user, log, WatchedProcess.start(full, log), stops);
	}

	/** What it plays. */
	public String name() {
		return this.name;
	}

	/** Whom the API server takes it for. */
	public String user() {
		return this.user;
	}

	/** Its process id. */
	public long pid() {
		return this.process.pid();
	}

	/** Whether the process runs, or is paused. */
	public boolean isAlive() {
		return this.process.isAlive();
	}

	/** What to say when it has ended although nobody asked it to. */
	public String died() {
		return this.name + " ended by itself, see " + this.log;
	}

	/** SIGTERM; returns at once. */
	public void terminate() {
		this.process.signal("TERM");
	}

	/** SIGSTOP: its connections stay open and it does nothing. */
	public void pause() {
		this.stops.pausing();
		this.paused = true;
		signal("STOP");
	}

	/** SIGCONT, if it is paused. */
	public void resume() {
		if (this.paused) {
			signal("CONT");
			this.paused = false;
			this.stops.resumed();
		}
	}

	private void signal(String signal) {
		if (!this.process.signal(signal)) {
			throw new IllegalStateException("Failed to send SIG" + signal + ": " + died());
		}
	}

	/** SIGKILL; returns when the process is gone. */
	public void kill() {
		this.process.killNow();
		this.process.awaitExit(10, TimeUnit.SECONDS);
	}

	/** Whether the process ends in that time. */
	public boolean awaitEnd(Duration timeout) {
		return this.process.awaitExit(timeout.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** Hears of stops. */
	interface Stops {

		void pausing();

		void resumed();

	}

}
