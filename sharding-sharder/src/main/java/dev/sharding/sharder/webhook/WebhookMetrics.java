package dev.sharding.sharder.webhook;

import java.time.Duration;

import dev.sharding.kubernetes.resource.GroupResource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/**
 * Counts what the webhook does, assignments and ring calculations under the names of
 * protocol section 7.1.
 */
final class WebhookMetrics {

	private final MeterRegistry registry;

	WebhookMetrics(MeterRegistry registry) {
		this.registry = registry;
	}

	void assigned(String ring, GroupResource resource) {
		this.registry
			.counter("controller.sharding.assignments",
					Tags.of("controllerring", ring, "group", resource.group(), "resource", resource.resource()))
			.increment();
	}

	void ringCalculated(String ring) {
		this.registry.counter("controller.sharding.ring.calculations", "controllerring", ring).increment();
	}

	/** What a client sends must not name the series, so the ring is no tag. */
	void answered(String outcome, long nanos) {
		this.registry.timer("controller.sharding.webhook.requests", "outcome", outcome).record(Duration.ofNanos(nanos));
	}

}
