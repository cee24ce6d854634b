package dev.sharding.internal.sharder.assignment;

import java.time.Duration;

import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.placement.AssignmentMode;
import dev.sharding.internal.sharder.watch.EventLoop;

/**
 * Looks after main objects whose owner has let go of them and that the webhook assigned
 * with that very request, so that no watch brings them. Their controlled objects, and the
 * objects themselves if the webhook was not there, are left to a resync.
 */
final class AdmittedDrains {

	private static final Duration GATHER = Duration.ofSeconds(2);

	private final RingScope scope;

	private final AssignmentMode mode;

	private final DrainLimiter pacer;

	private final ResyncSchedule resyncs;

	private final EventLoop loop;

	private boolean scheduled;

	AdmittedDrains(RingScope scope, AssignmentMode mode, DrainLimiter pacer, ResyncSchedule resyncs, EventLoop loop) {
		this.scope = scope;
		this.mode = mode;
		this.pacer = pacer;
		this.resyncs = resyncs;
		this.loop = loop;
	}

	void ended(ShardedObject last, ShardingKey key) {
		if (!this.mode.hasWebhook() || (this.mode.isWatching() && this.scope.hasControlled(last.resource()))) {
			return;
		}
		this.loop.execute(() -> {
			this.pacer.forget(key);
			if (!this.mode.isWatching() && !this.scheduled) {
				this.scheduled = true;
				this.loop.schedule(() -> {
					this.scheduled = false;
					this.resyncs.soon();
				}, GATHER);
			}
		});
	}

}
