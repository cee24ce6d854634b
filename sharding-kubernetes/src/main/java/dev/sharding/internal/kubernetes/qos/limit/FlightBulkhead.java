package dev.sharding.internal.kubernetes.qos.limit;

import java.time.Duration;
import java.util.Map;
import java.util.function.Function;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.bulkhead.event.BulkheadEvent;
import io.github.resilience4j.bulkhead.event.BulkheadOnCallFinishedEvent;
import io.github.resilience4j.bulkhead.event.BulkheadOnCallPermittedEvent;
import io.github.resilience4j.bulkhead.event.BulkheadOnCallRejectedEvent;
import io.github.resilience4j.core.EventConsumer;
import io.github.resilience4j.core.EventProcessor;

/**
 * Resilience4j's bulkhead, which tells of what happens when it is told to: a request that
 * finds no place waits in a queue of ours, so that the bulkhead itself does not see when
 * it is refused in the end, and whoever listens must not run while the queue is locked.
 */
final class FlightBulkhead implements Bulkhead {

	private final Bulkhead delegate;

	private final Events events = new Events();

	FlightBulkhead(String name, int max) {
		this.delegate = Bulkhead.of(name,
				BulkheadConfig.custom().maxConcurrentCalls(max).maxWaitDuration(Duration.ZERO).build());
	}

	/** Takes a place if there is one, and tells nobody. */
	boolean take() {
		return this.delegate.tryAcquirePermission();
	}

	/** Gives a place back, and tells nobody. */
	void giveBack() {
		this.delegate.onComplete();
	}

	/** Tells those who listen that a request got a place. */
	void permitted() {
		this.events.tell(BulkheadOnCallPermittedEvent::new, getName());
	}

	/** Tells those who listen that a request was refused. */
	void rejected() {
		this.events.tell(BulkheadOnCallRejectedEvent::new, getName());
	}

	/** Tells those who listen that a request ended. */
	void finished() {
		this.events.tell(BulkheadOnCallFinishedEvent::new, getName());
	}

	@Override
	public void changeConfig(BulkheadConfig config) {
		throw new UnsupportedOperationException(
				"The maximum of '%s' is that of its QoS class: update the class".formatted(getName()));
	}

	@Override
	public boolean tryAcquirePermission() {
		boolean permitted = take();
		if (permitted) {
			permitted();
		}
		else {
			rejected();
		}
		return permitted;
	}

	@Override
	public void acquirePermission() {
		if (!tryAcquirePermission()) {
			throw BulkheadFullException.createBulkheadFullException(this);
		}
	}

	@Override
	public void releasePermission() {
		this.delegate.releasePermission();
	}

	@Override
	public void onComplete() {
		giveBack();
		finished();
	}

	@Override
	public String getName() {
		return this.delegate.getName();
	}

	@Override
	public BulkheadConfig getBulkheadConfig() {
		return this.delegate.getBulkheadConfig();
	}

	@Override
	public Metrics getMetrics() {
		return this.delegate.getMetrics();
	}

	@Override
	public Map<String, String> getTags() {
		return this.delegate.getTags();
	}

	@Override
	public EventPublisher getEventPublisher() {
		return this.events;
	}

	/** Those of the bulkhead, and the rejections. */
	private static final class Events extends EventProcessor<BulkheadEvent> implements EventPublisher {

		void tell(Function<String, BulkheadEvent> event, String name) {
			if (hasConsumers()) {
				Listeners.tell(() -> processEvent(event.apply(name)));
			}
		}

		@Override
		public EventPublisher onCallRejected(EventConsumer<BulkheadOnCallRejectedEvent> consumer) {
			registerConsumer(BulkheadOnCallRejectedEvent.class.getName(), consumer);
			return this;
		}

		@Override
		public EventPublisher onCallPermitted(EventConsumer<BulkheadOnCallPermittedEvent> consumer) {
			registerConsumer(BulkheadOnCallPermittedEvent.class.getName(), consumer);
			return this;
		}

		@Override
		public EventPublisher onCallFinished(EventConsumer<BulkheadOnCallFinishedEvent> consumer) {
			registerConsumer(BulkheadOnCallFinishedEvent.class.getName(), consumer);
			return this;
		}

	}

}
