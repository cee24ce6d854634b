package dev.sharding.internal.sharder.webhook;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import dev.sharding.internal.sharder.http.ServerMetrics;
import dev.sharding.resource.GroupResource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the webhook does, assignments and ring calculations under the names of
 * protocol section 7.1.
 */
final class WebhookMetrics {

	private final MeterRegistry registry;

	private final AtomicReference<@Nullable Instant> notAfter = new AtomicReference<>();

	WebhookMetrics(MeterRegistry registry) {
		this.registry = registry;
	}

	/** What the listener counts with. */
	ServerMetrics server() {
		return new ServerMetrics(this.registry, "webhook");
	}

	/** From now on, shows for how long the certificate that is served with is valid. */
	void serving(Instant notAfter, InstantSource clock) {
		if (this.notAfter.getAndSet(notAfter) == null) {
			TimeGauge
				.builder("controller.sharding.webhook.certificate.expiry", this.notAfter, TimeUnit.SECONDS,
						(until) -> Duration.between(clock.instant(), until.get()).toSeconds())
				.strongReference(true)
				.register(this.registry);
		}
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
