package dev.sharding.autoconfigure;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

import dev.sharding.kubernetes.RuntimeListener;
import dev.sharding.kubernetes.RuntimePhase;
import dev.sharding.kubernetes.reconcile.Move;
import dev.sharding.kubernetes.reconcile.MoveListener;

/**
 * Publishes what becomes of the shard and of its objects as application events, off the
 * threads that look after the Lease and the objects, and ends the application when the
 * shard cannot go on.
 */
final class ShardWatch implements RuntimeListener, MoveListener, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ShardWatch.class);

	private final String ring;

	private final String shard;

	private final ApplicationEventPublisher publisher;

	private final ApplicationExit exit;

	private final LossExit lossExit;

	private final ExecutorService executor = Executors.newSingleThreadExecutor((task) -> {
		Thread thread = new Thread(task, "sharding-events");
		thread.setDaemon(true);
		return thread;
	});

	private boolean held;

	private boolean joined;

	ShardWatch(String ring, String shard, ApplicationEventPublisher publisher, ApplicationExit exit,
			ShardingProperties.OnLoss onLoss) {
		this.ring = ring;
		this.shard = shard;
		this.publisher = publisher;
		this.exit = exit;
		this.lossExit = new LossExit(exit, onLoss);
	}

	@Override
	public void changed(RuntimePhase phase, String reason) {
		execute(() -> tell(phase, reason));
	}

	@Override
	public void moved(Move move) {
		execute(() -> publish(switch (move.kind()) {
			case DRAINED -> new ObjectDrainedEvent(this.ring, this.shard, move.resource(), move.key(), move.took());
			case TAKEN_OVER ->
				new ObjectTakenOverEvent(this.ring, this.shard, move.resource(), move.key(), move.took());
		}));
	}

	private void execute(Runnable task) {
		try {
			this.executor.execute(task);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Ignoring what happens after the stop ring={}", this.ring);
		}
	}

	@Override
	public void close() {
		this.executor.shutdown();
	}

	private void tell(RuntimePhase phase, String reason) {
		publish(new ShardPhaseEvent(this.ring, this.shard, phase, reason));
		publishTurn(phase, reason);
		if (phase == RuntimePhase.FAILED) {
			this.exit.begin(reason + ". Give each process a name of its own, see 'sharding.shard-name'");
		}
		this.lossExit.changed(phase, reason);
	}

	/* Several phases lie between having the Lease and reconciling. */
	private void publishTurn(RuntimePhase phase, String reason) {
		if (phase == RuntimePhase.REFRESHING && !this.held) {
			this.held = true;
			publish(new LeaseAcquiredEvent(this.ring, this.shard));
		}
		else if (phase == RuntimePhase.RUNNING) {
			if (this.joined) {
				publish(new ShardRejoinedEvent(this.ring, this.shard));
			}
			this.joined = true;
		}
		else if (this.held && (phase == RuntimePhase.ACQUIRING || phase == RuntimePhase.ISOLATED
				|| phase == RuntimePhase.FAILED)) {
			this.held = false;
			publish(new LeaseLostEvent(this.ring, this.shard, reason));
		}
	}

	private void publish(ShardingEvent event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (RuntimeException ex) {
			logger.error("Listener of a shard event failed event={}", event, ex);
		}
	}

}
