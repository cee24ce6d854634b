package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.Map;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.event.BulkheadEvent;
import io.github.resilience4j.bulkhead.event.BulkheadOnCallFinishedEvent;
import io.github.resilience4j.bulkhead.event.BulkheadOnCallPermittedEvent;
import io.github.resilience4j.bulkhead.event.BulkheadOnCallRejectedEvent;
import io.github.resilience4j.core.EventConsumer;
import io.github.resilience4j.core.EventProcessor;

/**
 * Resilience4j's bulkhead, which can also be told of a rejection. A request that finds no
 * place waits in a queue of ours, so that the bulkhead itself does not see when it is
 * refused in the end.
 */
final class FlightBulkhead implements Bulkhead {

	private final Bulkhead delegate;

	private final Events events = new Events();

	FlightBulkhead(String name, int max) {
		this.delegate = Bulkhead.of(name,
				BulkheadConfig.custom().maxConcurrentCalls(max).maxWaitDuration(Duration.ZERO).build());
		this.delegate.getEventPublisher().onEvent(this.events::publish);
	}

	/** Tells those who listen that a request was refused. */
	void rejected() {
		if (this.events.hasConsumers()) {
			this.events.publish(new BulkheadOnCallRejectedEvent(getName()));
		}
	}

	@Override
	public void changeConfig(BulkheadConfig config) {
		throw new UnsupportedOperationException(
				"The maximum of '%s' is that of its QoS class: update the class".formatted(getName()));
	}

	@Override
	public boolean tryAcquirePermission() {
		return this.delegate.tryAcquirePermission();
	}

	@Override
	public void acquirePermission() {
		this.delegate.acquirePermission();
	}

	@Override
	public void releasePermission() {
		this.delegate.releasePermission();
	}

	@Override
	public void onComplete() {
		this.delegate.onComplete();
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

		void publish(BulkheadEvent event) {
			processEvent(event);
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
