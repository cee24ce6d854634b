package dev.sharding.autoconfigure;

import org.springframework.context.SmartLifecycle;

import dev.sharding.sharder.ElectedSharder;

/**
 * Starts and stops the sharder with the application.
 */
final class EmbeddedSharder implements SmartLifecycle {

	private final ElectedSharder sharder;

	private volatile boolean running;

	EmbeddedSharder(ElectedSharder sharder) {
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
		BackgroundStop.begin("sharding-sharder-stop", this::stop, callback);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	ElectedSharder sharder() {
		return this.sharder;
	}

}
