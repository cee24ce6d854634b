package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.autoconfigure.QosProperties.Kind;
import dev.sharding.autoconfigure.QosProperties.QosClassProperties;
import dev.sharding.autoconfigure.QosProperties.QosRuleProperties;
import dev.sharding.autoconfigure.QosProperties.Scope;
import dev.sharding.core.qos.Accounting;
import dev.sharding.core.qos.Cost;
import dev.sharding.core.qos.Measure;
import dev.sharding.core.qos.Operation;

/**
 * The classes and rules that are active unless switched off or redefined by their names.
 */
final class QosBuiltIns {

	private QosBuiltIns() {
	}

	static Map<String, QosClassProperties> classes() {
		return Map.of("large-lists", new QosClassProperties(Kind.TOKEN_BUCKET, 10.0, 12L, 100, null, null, null),
				"events", new QosClassProperties(Kind.LEAKY_BUCKET, 2.0, null, 20, null, null, null));
	}

	/* A list with a page size is predicted to hold one page, so only others get here. */
	static Map<String, QosRuleProperties> rules() {
		return Map.of("large-lists",
				rule(90, List.of(), Set.of(Operation.LIST), Map.of(Measure.PREDICTED_ITEMS, 1_000.0), "large-lists"),
				"events-under-storage-pressure",
				rule(91, List.of("/registry/events"), Set.of(Operation.CREATE, Operation.UPDATE, Operation.PATCH),
						Map.of(Measure.STORAGE_USED, 0.9), "events"));
	}

	private static QosRuleProperties rule(int priority, List<String> paths, Set<Operation> operations,
			Map<Measure, Double> conditions, String qosClass) {
		return new QosRuleProperties(true, priority, Map.of(), paths, operations, conditions, qosClass, Cost.REQUESTS,
				Accounting.RULE, Scope.SHARD, Duration.ofSeconds(10));
	}

}
