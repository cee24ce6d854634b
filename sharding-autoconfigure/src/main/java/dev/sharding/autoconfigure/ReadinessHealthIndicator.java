package dev.sharding.autoconfigure;

import java.util.List;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.sharding.internal.autoconfigure.runtime.ControllerPart;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties.Readiness;

/**
 * Up once all controllers of the application have joined, so that a rolling update goes
 * on only then. Unless told otherwise it stays up: what else the application serves must
 * not go down with the API server.
 */
final class ReadinessHealthIndicator extends AbstractHealthIndicator {

	private final List<ControllerPart> parts;

	private final Readiness readiness;

	ReadinessHealthIndicator(List<ControllerPart> parts, Readiness readiness) {
		super("Failed to find out whether the controllers have joined");
		this.parts = parts;
		this.readiness = readiness;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		boolean ready = true;
		for (ControllerPart part : this.parts) {
			if (part.isStarted()) {
				boolean joined = part.hasJoined();
				ready &= (this.readiness == Readiness.FOLLOW) ? part.isReady() : joined;
				builder.withDetail(part.name(), part.phase());
			}
		}
		if (ready) {
			builder.up();
		}
		else {
			builder.outOfService();
		}
	}

}
