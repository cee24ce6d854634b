package dev.sharding.internal.sharder.app;

import dev.sharding.internal.sharder.ElectedSharder;
import dev.sharding.internal.sharder.app.management.StopThread;

import org.springframework.context.SmartLifecycle;

/**
 * Starts the sharder last and stops it first, while probes are still answered.
 */
final class SharderLifecycle implements SmartLifecycle {

	private final ElectedSharder sharder;

	private volatile boolean running;

	SharderLifecycle(ElectedSharder sharder) {
		this.sharder = sharder;
	}

	@Override
	public void start() {
		this.running = true;
		this.sharder.start();
	}

	@Override
	public void stop() {
		this.running = false;
		this.sharder.close();
	}

	@Override
	public void stop(Runnable callback) {
		StopThread.run("sharder-stop", this::stop, callback);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
