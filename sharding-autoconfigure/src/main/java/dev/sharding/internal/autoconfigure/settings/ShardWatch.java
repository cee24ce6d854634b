package dev.sharding.internal.autoconfigure.settings;

import java.util.function.Supplier;

import org.springframework.context.ApplicationEventPublisher;

import dev.sharding.event.LeaseAcquiredEvent;
import dev.sharding.event.LeaseLostEvent;
import dev.sharding.event.ObjectDrainedEvent;
import dev.sharding.event.ObjectTakenOverEvent;
import dev.sharding.event.ShardPhaseEvent;
import dev.sharding.event.ShardRejoinedEvent;
import dev.sharding.event.ShardingEvent;
import dev.sharding.internal.kubernetes.reconcile.Move;
import dev.sharding.internal.kubernetes.reconcile.MoveListener;
import dev.sharding.internal.kubernetes.usercode.Listeners;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.shard.ApplicationExit;
import dev.sharding.shard.RuntimeListener;
import dev.sharding.shard.RuntimePhase;

/**
 * Publishes what becomes of the shard and of its objects as application events, and ends
 * the application when the shard cannot go on, however long listeners of the application
 * take. Hears of the phases one after the other.
 */
public final class ShardWatch implements RuntimeListener, MoveListener, AutoCloseable {

	private final String ring;

	private final Supplier<String> name;

	/** The name of the shard as it was known last; with slots it has none in between. */
	private volatile String shard;

	private final ApplicationExit exit;

	private final LossExit lossExit;

	private final Listeners<ApplicationEventPublisher> events;

	private boolean held;

	private boolean joined;

	public ShardWatch(String ring, Supplier<String> name, ApplicationEventPublisher publisher, UserCode userCode,
			ApplicationExit exit, ShardingProperties.OnLoss onLoss) {
		this.ring = ring;
		this.name = name;
		this.shard = name.get();
		this.exit = exit;
		this.lossExit = new LossExit(exit, onLoss);
		this.events = new Listeners<>("application event listener", userCode);
		this.events.add(publisher);
	}

	@Override
	public void changed(RuntimePhase phase, String reason) {
		String now = this.name.get();
		if (!now.isEmpty()) {
			this.shard = now;
		}
		publish(phase, new ShardPhaseEvent(this.ring, this.shard, phase, reason));
		publishTurn(phase, reason);
		if (phase == RuntimePhase.FAILED) {
			this.exit.begin(reason + ". Give each process a name of its own, see 'sharding.shard-name'");
		}
		this.lossExit.changed(phase, reason);
	}

	@Override
	public void moved(Move move) {
		publish(move.key(), switch (move.kind()) {
			case DRAINED -> new ObjectDrainedEvent(this.ring, this.shard, move.resource(), move.key(), move.took());
			case TAKEN_OVER ->
				new ObjectTakenOverEvent(this.ring, this.shard, move.resource(), move.key(), move.took());
		});
	}

	@Override
	public void close() {
		this.events.close();
	}

	/* Several phases lie between having the Lease and reconciling. */
	private void publishTurn(RuntimePhase phase, String reason) {
		if (phase == RuntimePhase.REFRESHING && !this.held) {
			this.held = true;
			publish(phase, new LeaseAcquiredEvent(this.ring, this.shard));
		}
		else if (phase == RuntimePhase.RUNNING) {
			if (this.joined) {
				publish(phase, new ShardRejoinedEvent(this.ring, this.shard));
			}
			this.joined = true;
		}
		else if (this.held && (phase == RuntimePhase.ACQUIRING || phase == RuntimePhase.STANDBY
				|| phase == RuntimePhase.ISOLATED || phase == RuntimePhase.FAILED)) {
			this.held = false;
			publish(phase, new LeaseLostEvent(this.ring, this.shard, reason));
		}
	}

	private void publish(Object about, ShardingEvent event) {
		this.events.tell(about, (publisher) -> publisher.publishEvent(event));
	}

}
