package dev.sharding.demo;

import java.util.Objects;
import java.util.Set;

import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;

/** What people see of a Lease: one word. */
final class LeaseView {

	/** Words for a Lease that its shard holds. */
	static final Set<String> HELD = Set.of("held", "ready", "expired", "uncertain");

	private LeaseView() {
	}

	/**
	 * The state that the sharder wrote on it, unless the record says otherwise already.
	 */
	static String of(Lease lease) {
		String holder = (lease.getSpec() != null) ? Objects.requireNonNullElse(lease.getSpec().getHolderIdentity(), "")
				: "";
		String state = (lease.getMetadata().getLabels() != null)
				? lease.getMetadata().getLabels().getOrDefault(ShardingLabels.LEASE_STATE, "") : "";
		if (holder.equals(lease.getMetadata().getName())) {
			return HELD.contains(state) ? state : "held";
		}
		if (holder.isEmpty()) {
			return "released";
		}
		return HELD.contains(state) ? "taken" : state;
	}

}
