package dev.sharding.internal.autoconfigure.settings;

import dev.sharding.internal.autoconfigure.settings.ShardingProperties.OnLoss;
import dev.sharding.shard.ApplicationExit;
import dev.sharding.shard.RuntimeListener;
import dev.sharding.shard.RuntimePhase;

/**
 * Ends the application when controllers lose their Lease, if it is to end then. Hears of
 * the phases one after the other.
 */
public final class LossExit implements RuntimeListener {

	private final ApplicationExit exit;

	private final OnLoss onLoss;

	private RuntimePhase last = RuntimePhase.STOPPED;

	public LossExit(ApplicationExit exit, OnLoss onLoss) {
		this.exit = exit;
		this.onLoss = onLoss;
	}

	@Override
	public void changed(RuntimePhase phase, String reason) {
		RuntimePhase before = this.last;
		this.last = phase;
		if (this.onLoss == OnLoss.EXIT && (phase == RuntimePhase.ACQUIRING || phase == RuntimePhase.STANDBY)
				&& (before == RuntimePhase.RUNNING || before == RuntimePhase.REFRESHING)) {
			this.exit.begin("The Lease was lost (" + reason + ") and 'sharding.lease.on-loss' is 'exit'");
		}
	}

}
