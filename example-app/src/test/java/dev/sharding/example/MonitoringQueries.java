package dev.sharding.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.jayway.jsonpath.JsonPath;
import io.fabric8.kubernetes.client.utils.Serialization;

/**
 * Which metrics our panels and alerts ask for, with which labels ({@code outcome}) and
 * values ({@code outcome=fallback}).
 */
final class MonitoringQueries {

	private static final Path MONITORING = Path.of("../config/monitoring");

	/** Prometheus adds them to each target. */
	private static final Set<String> OF_THE_TARGET = Set.of("pod", "namespace", "job", "instance", "container");

	private static final Pattern SELECTOR = Pattern
		.compile("\\b((?:sharding|controller|workqueue)_[a-z_]+)(?:\\{([^}]*)\\})?");

	private static final Pattern MATCHER = Pattern.compile("([a-z_]+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");

	private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on)\\s*\\(([^)]*)\\)");

	private static final Pattern VARIABLE = Pattern
		.compile("label_values\\((([a-z_]+)(?:\\{[^}]*\\})?),\\s*([a-z_]+)\\)");

	private static final Pattern LEGEND = Pattern.compile("\\{\\{([a-z_]+)\\}\\}");

	private static final Pattern ANNOTATION = Pattern.compile("\\$labels\\.([a-z_]+)");

	private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-zA-Z_:]+)(?:\\{(.*)\\})? [^ ]+$");

	private MonitoringQueries() {
	}

	/** What is asked of each metric. */
	static Map<String, Set<String>> asked() throws IOException {
		Map<String, Set<String>> asked = new TreeMap<>();
		String dashboard = Files.readString(MONITORING.resolve("grafana-dashboard.json"));
		JsonPath.<List<String>>read(dashboard, "$..targets[*].expr").forEach((query) -> add(asked, query));
		JsonPath.<List<String>>read(dashboard, "$.templating.list[*].query.query")
			.forEach((query) -> VARIABLE.matcher(query).results().forEach((found) -> {
				add(asked, found.group(1));
				labels(asked, found.group(2)).add(found.group(3));
			}));
		Object rules = Serialization.unmarshal(Files.readString(MONITORING.resolve("prometheus-rule.yaml")), Map.class);
		JsonPath.<List<String>>read(rules, "$.spec.groups[*].rules[*].expr").forEach((query) -> add(asked, query));
		asked.values().forEach((labels) -> labels.removeAll(OF_THE_TARGET));
		return asked;
	}

	/** All queries, as Grafana and Prometheus send them. */
	static List<Query> all() throws IOException {
		List<Query> all = new ArrayList<>();
		String dashboard = Files.readString(MONITORING.resolve("grafana-dashboard.json"));
		for (Map<String, Object> target : JsonPath.<List<Map<String, Object>>>read(dashboard, "$..targets[*]")) {
			String query = String.valueOf(target.get("expr"))
				.replace("$__rate_interval", "1m")
				.replaceAll("\\$[a-z_]+", ".*");
			all.add(new Query(query, true, named(LEGEND, String.valueOf(target.get("legendFormat")))));
		}
		Object rules = Serialization.unmarshal(Files.readString(MONITORING.resolve("prometheus-rule.yaml")), Map.class);
		for (Map<String, Object> alert : JsonPath.<List<Map<String, Object>>>read(rules, "$.spec.groups[*].rules[*]")) {
			all.add(new Query(String.valueOf(alert.get("expr")), false,
					named(ANNOTATION, String.valueOf(alert.get("annotations")))));
		}
		return all;
	}

	private static Set<String> named(Pattern pattern, String text) {
		return pattern.matcher(text)
			.results()
			.map((found) -> found.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static void add(Map<String, Set<String>> asked, String query) {
		Set<String> grouped = new TreeSet<>();
		GROUPING.matcher(query)
			.results()
			.forEach((found) -> Collections.addAll(grouped, found.group(1).strip().split("\\s*,\\s*")));
		Matcher selector = SELECTOR.matcher(query);
		while (selector.find()) {
			Set<String> labels = labels(asked, selector.group(1));
			labels.addAll(grouped);
			if (selector.group(2) != null) {
				MATCHER.matcher(selector.group(2)).results().forEach((found) -> {
					labels.add(found.group(1));
					// A variable of the dashboard stands for values that are there.
					if (found.group(2).startsWith("=") && !found.group(3).contains("$")) {
						Arrays.stream(found.group(3).split("\\|"))
							.forEach((value) -> labels.add(found.group(1) + "=" + value));
					}
				});
			}
		}
	}

	/**
	 * The labels that each metric of a scrape has in all its samples, and the values that
	 * they have in any.
	 */
	static Map<String, Set<String>> exposed(String scrape) {
		Map<String, Set<String>> exposed = new TreeMap<>();
		Matcher sample = SAMPLE.matcher(scrape);
		while (sample.find()) {
			Set<String> labels = new TreeSet<>();
			if (sample.group(2) != null) {
				MATCHER.matcher(sample.group(2)).results().forEach((found) -> {
					labels.add(found.group(1));
					labels.add(found.group(1) + "=" + found.group(3));
				});
			}
			exposed.merge(sample.group(1), labels, (all, more) -> {
				all.removeIf((label) -> !label.contains("=") && !more.contains(label));
				more.stream().filter((label) -> label.contains("=")).forEach(all::add);
				return all;
			});
		}
		return exposed;
	}

	private static Set<String> labels(Map<String, Set<String>> metrics, String name) {
		return metrics.computeIfAbsent(name, (unknown) -> new TreeSet<>());
	}

	/**
	 * A query of a panel or an alert.
	 *
	 * @param text the query, without variables
	 * @param drawn whether it is a panel's, which shows something in good health, too
	 * @param named the labels of the result that the legend or the annotations name
	 */
	record Query(String text, boolean drawn, Set<String> named) {
	}

}
