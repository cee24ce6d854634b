package dev.sharding.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.sharding.internal.autoconfigure.runtime.ControllerPart;
import dev.sharding.internal.kubernetes.informer.InformerStatus;

/**
 * Up while all informers are synced and can watch.
 */
final class InformersHealthIndicator extends AbstractHealthIndicator {

	private final ControllerPart part;

	InformersHealthIndicator(ControllerPart part) {
		super("Failed to find out how the informers are");
		this.part = part;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		builder.up();
		boolean failing = false;
		boolean synced = true;
		for (Map.Entry<String, InformerStatus> informer : this.part.informers().entrySet()) {
			InformerStatus status = informer.getValue();
			failing |= status.failingSince() != null;
			synced &= status.synced();
			builder.withDetail(informer.getKey(), details(status));
		}
		if (failing) {
			builder.down();
		}
		else if (!synced) {
			builder.outOfService();
		}
	}

	private static Map<String, Object> details(InformerStatus status) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("synced", status.synced());
		details.put("watching", status.watching());
		details.put("objects", status.objects());
		details.put("relists", status.relists());
		if (status.undecodable() > 0) {
			details.put("undecodable", status.undecodable());
		}
		if (status.unindexed() > 0) {
			details.put("unindexed", status.unindexed());
		}
		if (status.failingSince() != null) {
			details.put("failingSince", status.failingSince().toString());
			details.put("refused", status.refused());
			details.put("error", String.valueOf(status.lastError()));
		}
		return details;
	}

}
