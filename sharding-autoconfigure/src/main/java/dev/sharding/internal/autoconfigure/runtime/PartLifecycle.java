package dev.sharding.internal.autoconfigure.runtime;

import java.util.concurrent.CountDownLatch;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Starts a part of the application after everything else, and stops it first: probes
 * still answer while the last reconciles end. Parts of one phase stop together, each on a
 * thread of its own, as the context asks one after the other and a stop may take as long
 * as a reconcile. A part that has started keeps the process alive until it stops, as a
 * web server would: an application may have none.
 */
public final class PartLifecycle implements SmartLifecycle, DisposableBean {

	private final Part part;

	private final boolean autoStartup;

	private final CountDownLatch stopped = new CountDownLatch(1);

	private volatile boolean running;

	/**
	 * Prepares the life of a part.
	 * @param part what to start and stop
	 * @param autoStartup whether the context starts it; if not, nothing does
	 */
	public PartLifecycle(Part part, boolean autoStartup) {
		this.part = part;
		this.autoStartup = autoStartup;
	}

	@Override
	public void start() {
		if (this.stopped.getCount() == 0) {
			throw new IllegalStateException(
					"The %s of the application has stopped, and starts again in a new context only"
						.formatted(this.part.name()));
		}
		this.running = this.part.start();
		if (this.running) {
			Thread thread = new Thread(this::awaitStop, "sharding-" + this.part.name());
			thread.setDaemon(false);
			thread.start();
		}
	}

	private void awaitStop() {
		try {
			this.stopped.await();
		}
		catch (InterruptedException ex) {
			// Somebody wants it to end.
		}
	}

	@Override
	public void stop() {
		this.running = false;
		try {
			this.part.stop();
		}
		finally {
			this.stopped.countDown();
		}
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

	/** A context that fails to start destroys what has started. */
	@Override
	public void destroy() {
		this.stopped.countDown();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isAutoStartup() {
		return this.autoStartup;
	}

	/** What has stopped does not come back in the same context. */
	@Override
	public boolean isPauseable() {
		return false;
	}

}
