package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import dev.sharding.kubernetes.Shard;
import dev.sharding.kubernetes.reconcile.ControllerSpec;

/**
 * Starts the shard after everything else in the application, and stops it first: probes
 * and caches still answer while the last reconciles end.
 */
final class ShardLifecycle implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(ShardLifecycle.class);

	private static final Duration RING_CHECK_PERIOD = Duration.ofSeconds(10);

	private final Shard shard;

	private final ControllerSpecs controllers;

	private final RingCheck ringCheck;

	private final ShardWatch watch;

	private final InformerMetrics metrics;

	private volatile RingFinding ring = RingFinding.NONE;

	private volatile boolean running;

	private @Nullable ScheduledExecutorService scheduler;

	ShardLifecycle(Shard shard, ControllerSpecs controllers, RingCheck ringCheck, ShardWatch watch,
			InformerMetrics metrics) {
		this.shard = shard;
		this.controllers = controllers;
		this.ringCheck = ringCheck;
		this.watch = watch;
		this.metrics = metrics;
	}

	@Override
	public void start() {
		List<ControllerSpec<?>> specs = this.controllers.sharded();
		if (specs.isEmpty()) {
			// A shard without controllers would be given objects that nobody reconciles.
			logger.warn("Not joining the ring, as there is no controller ring={}", this.shard.ring());
			return;
		}
		specs.forEach(this.shard::add);
		checkRing(specs);
		this.shard.addListener(this.watch);
		this.shard.start();
		this.metrics.bind(this.shard::informers);
		this.metrics.bindOverlays(this.shard::overlays);
		this.running = true;
		if (!this.ring.isFinal()) {
			checkRingUntilFinal(specs);
		}
	}

	@Override
	public void stop() {
		this.running = false;
		if (this.scheduler != null) {
			this.scheduler.shutdownNow();
		}
		this.shard.close();
		this.watch.close();
	}

	@Override
	public void stop(Runnable callback) {
		BackgroundStop.begin("sharding-stop", this::stop, callback);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** A shard that has left does not come back in the same context. */
	@Override
	public boolean isPauseable() {
		return false;
	}

	/** What the last look at the ring has shown. */
	RingFinding ring() {
		return this.ring;
	}

	private void checkRing(List<ControllerSpec<?>> specs) {
		lookAtRing(specs);
		if (this.ring.kind() == RingFinding.Kind.MISMATCH) {
			throw new ShardingStartupException(this.ring.message(),
					"List the resource in the ControllerRing (spec.resources), or correct 'sharding.ring'.", null);
		}
	}

	private void checkRingUntilFinal(List<ControllerSpec<?>> specs) {
		ScheduledExecutorService created = Executors.newSingleThreadScheduledExecutor((task) -> {
			Thread thread = new Thread(task, "sharding-ring-check");
			thread.setDaemon(true);
			return thread;
		});
		this.scheduler = created;
		created.scheduleWithFixedDelay(() -> {
			lookAtRing(specs);
			if (this.ring.isFinal()) {
				created.shutdown();
			}
		}, RING_CHECK_PERIOD.toMillis(), RING_CHECK_PERIOD.toMillis(), TimeUnit.MILLISECONDS);
	}

	private void lookAtRing(List<ControllerSpec<?>> specs) {
		try {
			RingFinding found = this.ringCheck.run(specs);
			if (found.kind() == RingFinding.Kind.MATCHES) {
				logger.info("ControllerRing lists the resources of all controllers ring={}", this.shard.ring());
			}
			else if (!found.equals(this.ring)) {
				logger.warn(found.message());
			}
			this.ring = found;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (Throwable ex) {
			logger.error("Failed to look at ControllerRing {}", this.shard.ring(), ex);
		}
	}

}
