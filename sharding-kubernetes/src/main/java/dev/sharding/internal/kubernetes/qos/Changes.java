package dev.sharding.internal.kubernetes.qos;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;

/**
 * What differs between two sets of rules, for the log.
 */
final class Changes {

	private Changes() {
	}

	static List<String> between(QosRules before, QosRules after) {
		List<String> changes = new ArrayList<>();
		compare("class", new TreeMap<>(before.classes()), new TreeMap<>(after.classes()), changes);
		compare("shared limit of class", sharedOf(before), sharedOf(after), changes);
		compare("rule", byName(before), byName(after), changes);
		return changes;
	}

	private static <V> void compare(String what, Map<String, V> before, Map<String, V> after, List<String> changes) {
		after.forEach((name, now) -> {
			V then = before.get(name);
			if (then == null) {
				changes.add("added %s '%s': %s".formatted(what, name, now));
			}
			else if (!then.equals(now)) {
				changes.add("changed %s '%s': %s, was %s".formatted(what, name, now, then));
			}
		});
		before.forEach((name, then) -> {
			if (!after.containsKey(name)) {
				changes.add("deleted %s '%s': was %s".formatted(what, name, then));
			}
		});
	}

	private static Map<String, QosClass> sharedOf(QosRules rules) {
		Map<String, QosClass> shared = new TreeMap<>(rules.classes());
		shared.keySet().retainAll(rules.shared());
		return shared;
	}

	private static Map<String, QosRule> byName(QosRules rules) {
		Map<String, QosRule> byName = new LinkedHashMap<>();
		rules.rules().forEach((rule) -> byName.put(rule.name(), rule));
		return byName;
	}

}
