package dev.sharding.qos;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

import dev.sharding.qos.spi.QosRules;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/**
 * Classes and rules as they are written in the configuration.
 */
final class QosExport {

	private QosExport() {
	}

	static Map<String, Map<String, Object>> classes(QosRules rules) {
		Map<String, Map<String, Object>> classes = new TreeMap<>();
		rules.classes()
			.forEach((name, qosClass) -> classes.put(name,
					QosDefinitions.text(qosClass, rules.shared().contains(name))));
		return classes;
	}

	static Map<String, Map<String, Object>> rules(QosRules rules) {
		Map<String, Map<String, Object>> texts = new LinkedHashMap<>();
		rules.rules().forEach((rule) -> texts.put(rule.name(), QosDefinitions.text(rule)));
		return texts;
	}

	/** All of them, to paste into the configuration. */
	static String yaml(QosRules rules) {
		Map<String, Object> qos = new LinkedHashMap<>();
		qos.put("enabled", true);
		// They are part of what runs, so they are not added once more.
		qos.put("built-in-rules", false);
		qos.put("classes", keys(classes(rules)));
		qos.put("rules", keys(rules(rules)));
		DumperOptions options = new DumperOptions();
		options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
		options.setWidth(Integer.MAX_VALUE);
		return new Yaml(options).dump(Map.of("sharding", Map.of("qos", qos)));
	}

	/* Spring Boot drops other characters from a key, unless it is in brackets. */
	private static Map<String, Object> keys(Map<String, Map<String, Object>> texts) {
		Map<String, Object> keyed = new LinkedHashMap<>();
		texts.forEach((name, text) -> keyed.put(name.matches("[a-z0-9-]+") ? name : "[" + name + "]", text));
		return keyed;
	}

}
