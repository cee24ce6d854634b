package dev.sharding.autoconfigure;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import dev.sharding.kubernetes.lease.LeaseHolder;
import dev.sharding.kubernetes.lease.LeaseListener;
import dev.sharding.kubernetes.lease.LeaseTerm;
import dev.sharding.sharder.Sharder;

/**
 * Runs a sharder while this process is the elected one. Each term has a sharder of its
 * own, so that nothing of an earlier one is acted on.
 */
final class EmbeddedSharder implements SmartLifecycle, LeaseListener {

	private static final Logger logger = LoggerFactory.getLogger(EmbeddedSharder.class);

	private static final long STOP_SECONDS = 15;

	private final LeaseHolder lease;

	private final Supplier<Sharder> sharders;

	/** Starting and closing takes time that the thread of the Lease does not have. */
	private final ExecutorService executor = Executors.newSingleThreadExecutor((task) -> {
		Thread thread = new Thread(task, "sharding-sharder");
		thread.setDaemon(true);
		return thread;
	});

	private volatile @Nullable Sharder current;

	private volatile boolean running;

	EmbeddedSharder(LeaseHolder lease, Supplier<Sharder> sharders) {
		this.lease = lease;
		this.sharders = sharders;
	}

	@Override
	public void start() {
		this.running = true;
		this.lease.addListener(this);
		this.lease.start();
	}

	@Override
	public void stop() {
		this.running = false;
		execute(this::closeCurrent);
		this.executor.shutdown();
		try {
			if (this.executor.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
				this.lease.release().get(STOP_SECONDS, TimeUnit.SECONDS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (Exception ex) {
			logger.warn("Failed to release the Lease of the sharder lease={} reason=\"{}\"", this.lease.config().path(),
					ex.toString());
		}
		this.lease.close();
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
		}, "sharding-sharder-stop").start();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public void acquired(LeaseTerm term) {
		execute(() -> {
			closeCurrent();
			if (this.running && this.lease.term().isPresent()) {
				Sharder elected = this.sharders.get();
				this.current = elected;
				elected.start();
			}
		});
	}

	@Override
	public void lost(LeaseTerm term, String reason) {
		execute(this::closeCurrent);
	}

	LeaseHolder lease() {
		return this.lease;
	}

	/** The sharder at work, if this process is the elected one. */
	@Nullable Sharder current() {
		return this.current;
	}

	private void closeCurrent() {
		Sharder old = this.current;
		if (old != null) {
			this.current = null;
			old.close();
		}
	}

	private void execute(Runnable task) {
		try {
			this.executor.execute(() -> {
				try {
					task.run();
				}
				catch (Throwable ex) {
					logger.error("Failed to start or stop the sharder", ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Ignoring what happens after the stop");
		}
	}

}
