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
final class Actor {

	private final String name;

	private final Path log;

	private final WatchedProcess process;

	private final Stops stops;

	private boolean paused;

	private Actor(String name, Path log, WatchedProcess process, Stops stops) {
		this.name = name;
		this.log = log;
		this.process = process;
		this.stops = stops;
	}

	/**
	 * Starts the process.
	 * @param settings environment variables
	 * @param stops is told before the process is paused and after it was resumed
	 */
	static Actor start(String name, List<String> command, Map<String, String> settings, Path logs, Stops stops)
			throws IOException {
		List<String> full = new ArrayList<>(List.of("/usr/bin/env"));
		settings.forEach((key, value) -> full.add(key + "=" + value));
		full.addAll(command);
		Path log = logs.resolve(name + ".log");
		return new Actor(name, log, WatchedProcess.start(full, log), stops);
	}

	String name() {
		return this.name;
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/** What to say when it has ended although nobody asked it to. */
	String died() {
		return this.name + " ended by itself, see " + this.log;
	}

	/** SIGTERM; returns at once. */
	void terminate() {
		this.process.signal("TERM");
	}

	/** SIGSTOP: its connections stay open and it does nothing. */
	void pause() {
		this.stops.pausing();
		this.paused = true;
		signal("STOP");
	}

	/** SIGCONT, if it is paused. */
	void resume() {
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
	void kill() {
		this.process.killNow();
		this.process.awaitExit(10, TimeUnit.SECONDS);
	}

	boolean awaitEnd(Duration timeout) {
		return this.process.awaitExit(timeout.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** Hears of stops. */
	interface Stops {

		void pausing();

		void resumed();

	}

}
