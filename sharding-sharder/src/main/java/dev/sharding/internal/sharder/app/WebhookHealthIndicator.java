package dev.sharding.internal.sharder.app;

import dev.sharding.internal.sharder.HealthDetail;
import dev.sharding.internal.sharder.app.management.WebhookSwitch;
import dev.sharding.internal.sharder.webhook.Webhook;
import dev.sharding.internal.sharder.webhook.WebhookStatus;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Up while this replica answers reviews, or has no webhook to serve. A part of the
 * readiness: who is not ready gets no requests through the Service.
 */
final class WebhookHealthIndicator implements HealthIndicator {

	private final WebhookSwitch webhook;

	WebhookHealthIndicator(WebhookSwitch webhook) {
		this.webhook = webhook;
	}

	@Override
	public Health health() {
		Webhook served = this.webhook.webhook();
		if (served == null) {
			return Health.up().withDetail("mode", "watch").build();
		}
		WebhookStatus status = served.status();
		Health.Builder health = status.isServing() ? Health.up() : Health.down();
		health.withDetail("port", status.port()).withDetail("ringsKnown", status.ringsKnown());
		if (status.problem() != null) {
			health.withDetail("problem", status.problem());
		}
		if (!status.configurations().isEmpty()) {
			health.withDetail("configurations", HealthDetail.of(status.configurations()));
		}
		return health.build();
	}

}
