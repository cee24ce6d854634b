package dev.sharding.qos;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.qos.RingMembership;
import dev.sharding.qos.spi.QosRule;

/**
 * This shard's part of the limits that are those of the ring.
 */
final class QosShare {

	private QosShare() {
	}

	/** By rule: into how many parts its limit is divided, and why that may be wrong. */
	static Map<String, Map<String, Object>> of(Qos qos) {
		Map<String, Map<String, Object>> shares = new LinkedHashMap<>();
		qos.rules()
			.rules()
			.stream()
			.filter(QosRule::ringWide)
			.forEach((rule) -> shares.put(rule.name(), of(qos.membership(rule.ring()))));
		return shares;
	}

	private static Map<String, Object> of(RingMembership membership) {
		Map<String, Object> share = new LinkedHashMap<>();
		share.put("divided-by", membership.parts());
		String failure = membership.failure();
		if (failure != null) {
			share.put("reason", failure);
		}
		return share;
	}

}
