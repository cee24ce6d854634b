package dev.sharding.internal.autoconfigure.runtime;

import org.springframework.context.SmartLifecycle;

/**
 * Starts a part of the application after everything else, and stops it first: probes
 * still answer while the last reconciles end. Parts of one phase stop together, each on a
 * thread of its own, as the context asks one after the other and a stop may take as long
 * as a reconcile.
 */
public final class PartLifecycle implements SmartLifecycle {

	private final Part part;

	private volatile boolean running;

	public PartLifecycle(Part part) {
		this.part = part;
	}

	@Override
	public void start() {
		this.running = this.part.start();
	}

	@Override
	public void stop() {
		this.running = false;
		this.part.stop();
	}

	@Override
	public void stop(Runnable callback) {
		new Thread(() -> {
			try {
				stop();
			}
			finally {
				callback.run();
			}
		}, "sharding-" + this.part.name() + "-stop").start();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** What has stopped does not come back in the same context. */
	@Override
	public boolean isPauseable() {
		return false;
	}

}
