package dev.sharding.autoconfigure;

import org.springframework.context.ApplicationEventPublisher;

import dev.sharding.leadership.LeadershipAcquiredEvent;
import dev.sharding.leadership.LeadershipListener;
import dev.sharding.leadership.LeadershipLostEvent;

/**
 * Publishes the terms of the leader as application events.
 *
 * @param publisher publishes
 * @param lease the namespace and name of the Lease
 */
record LeadershipEvents(ApplicationEventPublisher publisher, String lease) implements LeadershipListener {

	@Override
	public void acquired() {
		this.publisher.publishEvent(new LeadershipAcquiredEvent(this.lease));
	}

	@Override
	public void lost() {
		this.publisher.publishEvent(new LeadershipLostEvent(this.lease));
	}

}
