package dev.sharding.qos;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.qos.QosProperties.Kind;
import dev.sharding.qos.QosProperties.QosClassProperties;
import dev.sharding.qos.QosProperties.QosRuleProperties;
import dev.sharding.qos.QosProperties.Scope;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Measure;
import dev.sharding.qos.spi.Operation;

/**
 * The classes and rules that are active unless switched off or redefined by their names.
 */
final class QosBuiltIns {

	private QosBuiltIns() {
	}

	/*
	 * Ten lists of a thousand objects a second; of larger ones fewer, as they cost more.
	 */
	static Map<String, QosClassProperties> classes() {
		return Map.of("large-lists",
				new QosClassProperties(Kind.TOKEN_BUCKET, 10_000.0, 12_000L, 100, null, null, null, false), "events",
				new QosClassProperties(Kind.LEAKY_BUCKET, 2.0, null, 20, null, null, null, false));
	}

	static Map<String, QosRuleProperties> rules() {
		return Map.of("large-lists",
				rule(90, List.of(), Set.of(Operation.LIST), Map.of(Measure.UNPAGED_ITEMS, 1_000.0), "large-lists",
						Cost.ITEMS),
				"events-under-storage-pressure",
				rule(91, List.of("/registry/events"),
						Set.of(Operation.CREATE, Operation.UPDATE, Operation.PATCH, Operation.APPLY),
						Map.of(Measure.STORAGE_USED, 0.9), "events", Cost.REQUESTS));
	}

	private static QosRuleProperties rule(int priority, List<String> paths, Set<Operation> operations,
			Map<Measure, Double> conditions, String qosClass, Cost cost) {
		return new QosRuleProperties(true, priority, Map.of(), paths, operations, conditions, qosClass, cost,
				Accounting.RULE, Scope.SHARD, null, Duration.ofSeconds(10));
	}

}
