package dev.sharding.sharder.app;

import dev.sharding.sharder.ElectedSharder;

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

	/** Elsewhere, so that Spring's time-out bounds how long it is waited for. */
	@Override
	public void stop(Runnable callback) {
		new Thread(() -> {
			try {
				stop();
			}
			finally {
				callback.run();
			}
		}, "sharder-stop").start();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
