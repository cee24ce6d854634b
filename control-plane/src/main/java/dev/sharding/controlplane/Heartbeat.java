package dev.sharding.controlplane;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Tells a waiting user that something still happens: each phase when it starts, and the
 * phase with the elapsed time at each beat. Plain lines, so that it also reads well in a
 * log file.
 */
final class Heartbeat implements AutoCloseable {

	private final Consumer<String> progress;

	private final LongSupplier nanos;

	private final long start;

	private final ScheduledExecutorService timer;

	private volatile String phase = "starting";

	Heartbeat(Consumer<String> progress, Duration interval, LongSupplier nanos) {
		this.progress = progress;
		this.nanos = nanos;
		this.start = nanos.getAsLong();
		this.timer = Executors.newSingleThreadScheduledExecutor((task) -> {
			Thread thread = new Thread(task, "control-plane-progress");
			thread.setDaemon(true);
			return thread;
		});
		Future<?> unused = this.timer.scheduleWithFixedDelay(this::beat, interval.toMillis(), interval.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	/**
	 * Says that a phase begins.
	 * @param phase what happens now, as half a sentence
	 */
	void begin(String phase) {
		change(phase);
		say("");
	}

	/** Changes what the next beat says, without saying it now. */
	void change(String phase) {
		this.phase = phase;
	}

	private void beat() {
		try {
			say(" ...");
		}
		catch (RuntimeException ex) {
			// A listener that fails must not end the installation.
		}
	}

	private synchronized void say(String suffix) {
		long seconds = TimeUnit.NANOSECONDS.toSeconds(this.nanos.getAsLong() - this.start);
		this.progress
			.accept("Control plane: " + this.phase + " (%d:%02d)".formatted(seconds / 60, seconds % 60) + suffix);
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
