package dev.sharding.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.sharding.kubernetes.Shard;
import dev.sharding.kubernetes.informer.InformerStatus;

/**
 * Up while all informers of the shard are synced and can watch.
 */
final class ShardInformersHealthIndicator extends AbstractHealthIndicator {

	private final Shard shard;

	ShardInformersHealthIndicator(Shard shard) {
		super("Failed to find out how the informers are");
		this.shard = shard;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		builder.up();
		boolean failing = false;
		boolean synced = true;
		for (Map.Entry<String, InformerStatus> informer : this.shard.informers().entrySet()) {
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
		details.put("objects", status.objects());
		details.put("relists", status.relists());
		if (status.failingSince() != null) {
			details.put("failingSince", status.failingSince().toString());
			details.put("error", String.valueOf(status.lastError()));
		}
		return details;
	}

}
