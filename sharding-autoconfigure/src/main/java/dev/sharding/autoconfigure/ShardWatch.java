package dev.sharding.autoconfigure;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

import dev.sharding.kubernetes.RuntimeListener;
import dev.sharding.kubernetes.RuntimePhase;

/**
 * Publishes the phases of the shard as application events, off the thread that looks
 * after the Lease, and ends the application when the shard cannot go on.
 */
final class ShardWatch implements RuntimeListener, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ShardWatch.class);

	private final String ring;

	private final String shard;

	private final ApplicationEventPublisher publisher;

	private final ApplicationExit exit;

	private final ShardingProperties.OnLoss onLoss;

	private final ExecutorService executor = Executors.newSingleThreadExecutor((task) -> {
		Thread thread = new Thread(task, "sharding-events");
		thread.setDaemon(true);
		return thread;
	});

	private RuntimePhase last = RuntimePhase.STOPPED;

	ShardWatch(String ring, String shard, ApplicationEventPublisher publisher, ApplicationExit exit,
			ShardingProperties.OnLoss onLoss) {
		this.ring = ring;
		this.shard = shard;
		this.publisher = publisher;
		this.exit = exit;
		this.onLoss = onLoss;
	}

	@Override
	public void changed(RuntimePhase phase, String reason) {
		try {
			this.executor.execute(() -> tell(phase, reason));
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Ignoring what happens after the stop phase={}", phase);
		}
	}

	@Override
	public void close() {
		this.executor.shutdown();
	}

	private void tell(RuntimePhase phase, String reason) {
		RuntimePhase before = this.last;
		this.last = phase;
		try {
			this.publisher.publishEvent(new ShardPhaseEvent(this.ring, this.shard, phase, reason));
		}
		catch (RuntimeException ex) {
			logger.error("Listener of a shard event failed phase={}", phase, ex);
		}
		if (phase == RuntimePhase.FAILED) {
			this.exit.begin(reason + ". Give each process a name of its own, see 'sharding.shard-name'");
		}
		else if (this.onLoss == ShardingProperties.OnLoss.EXIT && phase == RuntimePhase.ACQUIRING
				&& (before == RuntimePhase.RUNNING || before == RuntimePhase.REFRESHING)) {
			this.exit.begin("The Lease was lost (" + reason + ") and 'sharding.lease.on-loss' is 'exit'");
		}
	}

}
