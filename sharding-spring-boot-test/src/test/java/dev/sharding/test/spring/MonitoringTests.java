package dev.sharding.test.spring;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Dashboard and alerts are well formed, and ask for nothing that is not there: names and
 * tags are those of docs/metrics.md, which a test of its own keeps in step with the code.
 */
class MonitoringTests {

	private static final Path MONITORING = Path.of("../config/monitoring");

	private static final Pattern SELECTOR = Pattern
		.compile("\\b((?:sharding|controller|workqueue)_[a-z_]+)(\\{[^}]*\\})?");

	private static final Pattern MATCHER = Pattern.compile("([a-z_]+)\\s*(?:=~|!~|!=|=)\\s*\"[^\"]*\"");

	private static final Pattern GROUPING = Pattern.compile("\\b(?:by|without)\\s*\\(([^)]*)\\)");

	private static final Pattern MATCHING = Pattern.compile("\\bon\\s*\\(([^)]*)\\)");

	private static final Pattern ALERT = Pattern.compile("`(Sharding[A-Z][A-Za-z]+)`");

	/** Labels that Prometheus adds to every target in Kubernetes. */
	private static final Set<String> OF_THE_TARGET = Set.of("pod", "namespace", "job", "instance", "container");

	private final Map<String, Set<String>> metrics = documentedMetrics();

	@Test
	void alertsAreWellFormed() throws IOException {
		Map<String, Object> rule = yaml("prometheus-rule.yaml");
		assertThat(rule).containsEntry("apiVersion", "monitoring.coreos.com/v1")
			.containsEntry("kind", "PrometheusRule");
		Set<String> names = new HashSet<>();
		for (Map<String, Object> group : maps(map(rule.get("spec")).get("groups"))) {
			assertThat(group).containsOnlyKeys("name", "rules");
			for (Map<String, Object> alert : maps(group.get("rules"))) {
				String name = String.valueOf(alert.get("alert"));
				assertThat(names.add(name)).as("%s is unique", name).isTrue();
				assertThat(name).matches("Sharding[A-Za-z]+");
				assertThat(alert.keySet()).as(name).isSubsetOf("alert", "expr", "for", "labels", "annotations");
				assertThat(String.valueOf(alert.getOrDefault("for", "1m"))).as(name).matches("\\d+[smh]");
				assertThat(map(alert.get("labels")).get("severity")).as(name).isIn("warning", "critical");
				assertThat(map(alert.get("annotations"))).as(name).containsOnlyKeys("summary", "description");
				assertIsKnown(name, String.valueOf(alert.get("expr")));
			}
		}
		assertThat(names).hasSizeGreaterThan(5);
	}

	@Test
	void alertsNameOnlyLabelsThatTheirExpressionKeeps() throws IOException {
		for (Map<String, Object> group : maps(map(yaml("prometheus-rule.yaml").get("spec")).get("groups"))) {
			for (Map<String, Object> alert : maps(group.get("rules"))) {
				String expression = String.valueOf(alert.get("expr"));
				Matcher named = Pattern.compile("\\$labels\\.([a-z_]+)").matcher(alert.get("annotations").toString());
				while (named.find()) {
					assertThat(labels(expression)).as("%s", alert.get("alert")).contains(named.group(1));
				}
			}
		}
	}

	/* Whoever is woken by one finds out there what it means and what to do. */
	@Test
	void eachAlertHasARowInOperations() throws IOException {
		Set<String> alerts = new TreeSet<>();
		for (Map<String, Object> group : maps(map(yaml("prometheus-rule.yaml").get("spec")).get("groups"))) {
			maps(group.get("rules")).forEach((alert) -> alerts.add(String.valueOf(alert.get("alert"))));
		}
		Set<String> explained = new TreeSet<>();
		for (String line : lines(Path.of("../docs/operations.md"))) {
			String[] cells = line.split("\\s*\\|\\s*");
			if (cells.length == 4) {
				explained.addAll(found(ALERT.pattern(), cells[1]));
			}
		}
		assertThat(explained).isEqualTo(alerts);
	}

	/*
	 * What Prometheus collects of other operators has some of our names.
	 */
	@Test
	void alertsByNamesOfControllerRuntimeAreAboutOurControllers() throws IOException {
		for (Map<String, Object> group : maps(map(yaml("prometheus-rule.yaml").get("spec")).get("groups"))) {
			for (Map<String, Object> alert : maps(group.get("rules"))) {
				String expression = String.valueOf(alert.get("expr"));
				if (expression.contains("controller_runtime_") || expression.contains("workqueue_")) {
					assertThat(expression).as("%s", alert.get("alert"))
						.matches("(?s).*(result=\"fenced\"|priority=\"normal\").*");
					assertThat(labels(expression)).as("%s", alert.get("alert")).contains("namespace", "controller");
				}
			}
		}
	}

	/* Of a series that has just begun it is what the first sample says. */
	@Test
	void whatLastsIsMeasuredByFor() throws IOException {
		assertThat(Files.readString(MONITORING.resolve("prometheus-rule.yaml"))).doesNotContain("min_over_time");
	}

	@Test
	void whatIsStuckHasAnAlertAndAPanel() throws IOException {
		for (String metric : this.metrics.keySet()) {
			if (metric.endsWith("_stuck")) {
				assertThat(Files.readString(MONITORING.resolve("prometheus-rule.yaml"))).contains(metric);
				assertThat(Files.readString(MONITORING.resolve("grafana-dashboard.json"))).contains(metric);
			}
		}
	}

	@Test
	void readsAndLimitsHaveAPanelForEachMeter() throws IOException {
		String dashboard = Files.readString(MONITORING.resolve("grafana-dashboard.json"));
		assertThat(meters("sharding.cache.")).hasSizeGreaterThan(3);
		assertThat(meters("sharding.qos.")).hasSizeGreaterThan(10);
		for (String prefix : List.of("sharding.cache.", "sharding.qos.")) {
			for (String meter : meters(prefix)) {
				assertThat(dashboard).as(meter).contains(meter.replace('.', '_'));
			}
		}
	}

	private static List<String> meters(String prefix) {
		return lines(Path.of("../docs/metrics.md")).stream()
			.flatMap((line) -> Pattern.compile("^\\| `(" + Pattern.quote(prefix) + "[a-z.]+)` \\|")
				.matcher(line)
				.results())
			.map((found) -> found.group(1))
			.toList();
	}

	/* A metric of a ring says nothing where there is no ring. */
	@Test
	void aClusterWithoutRingsHasASharderAllTheSame() throws IOException {
		for (Map<String, Object> group : maps(map(yaml("prometheus-rule.yaml").get("spec")).get("groups"))) {
			for (Map<String, Object> alert : maps(group.get("rules"))) {
				String expression = String.valueOf(alert.get("expr"));
				if (expression.contains("absent(")) {
					assertThat(found(SELECTOR.pattern(), expression))
						.anySatisfy((metric) -> assertThat(labelsOf(metric)).doesNotContain("controllerring"));
				}
			}
		}
	}

	@Test
	void thePodMonitorSelectsTheShardsOfTheExample() throws IOException {
		Map<String, Object> monitor = map(yaml("pod-monitor.yaml").get("spec"));
		Map<String, Object> endpoint = maps(monitor.get("podMetricsEndpoints")).get(0);
		try (InputStream manifests = Files.newInputStream(MONITORING.resolve("../example/deployment.yaml"))) {
			Deployment deployment = new KubernetesSerialization().<List<HasMetadata>>unmarshal(manifests)
				.stream()
				.filter(Deployment.class::isInstance)
				.map(Deployment.class::cast)
				.findFirst()
				.orElseThrow();
			assertThat(map(monitor.get("namespaceSelector"))).containsEntry("matchNames",
					List.of(deployment.getMetadata().getNamespace()));
			assertThat(map(monitor.get("selector"))).containsEntry("matchLabels",
					deployment.getSpec().getTemplate().getMetadata().getLabels());
			assertThat(deployment.getSpec().getTemplate().getSpec().getContainers().get(0).getPorts())
				.extracting(ContainerPort::getName)
				.contains(String.valueOf(endpoint.get("port")));
		}
		assertThat(endpoint).containsEntry("path", "/actuator/prometheus");
		assertThat(Files.readString(Path.of("../example-app/src/main/resources/application.yaml")))
			.contains("include: health,metrics,prometheus");
	}

	@Test
	void theDashboardIsWellFormed() throws IOException {
		Map<String, Object> dashboard = yaml("grafana-dashboard.json");
		assertThat(dashboard).containsKeys("uid", "title", "schemaVersion", "time", "templating");
		Set<String> variables = new HashSet<>(Set.of("__rate_interval"));
		maps(map(dashboard.get("templating")).get("list"))
			.forEach((variable) -> variables.add(String.valueOf(variable.get("name"))));
		Set<Object> ids = new HashSet<>();
		Set<List<Integer>> cells = new HashSet<>();
		for (Map<String, Object> panel : maps(dashboard.get("panels"))) {
			String title = String.valueOf(panel.get("title"));
			assertThat(ids.add(panel.get("id"))).as("id of %s", title).isTrue();
			assertThat(panel.get("type")).as(title).isIn("row", "stat", "timeseries");
			occupy(title, map(panel.get("gridPos")), cells);
			Set<Object> references = new HashSet<>();
			for (Map<String, Object> target : maps(panel.getOrDefault("targets", List.of()))) {
				String expression = String.valueOf(target.get("expr"));
				assertThat(references.add(target.get("refId"))).as(title).isTrue();
				assertThat(map(target.get("datasource"))).as(title).containsEntry("uid", "${datasource}");
				assertIsKnown(title, expression);
				assertThat(found("\\$([a-z_]+)", expression)).as(title).isSubsetOf(variables);
				assertThat(found("\\{\\{([a-z_]+)\\}\\}", String.valueOf(target.get("legendFormat")))).as(title)
					.isSubsetOf(labels(expression));
			}
			assertThat(references.isEmpty()).as(title).isEqualTo(panel.get("type").equals("row"));
		}
	}

	private static void occupy(String title, Map<String, Object> grid, Set<List<Integer>> cells) {
		int left = (Integer) grid.get("x");
		int top = (Integer) grid.get("y");
		for (int x = left; x < left + (Integer) grid.get("w"); x++) {
			for (int y = top; y < top + (Integer) grid.get("h"); y++) {
				assertThat(x).as(title).isBetween(0, 23);
				assertThat(cells.add(List.of(x, y))).as("%s has its place for itself", title).isTrue();
			}
		}
	}

	/** Every metric exists, with every label that is asked for. */
	private void assertIsKnown(String where, String expression) {
		assertThat(expression.chars().filter((c) -> c == '(').count()).as(where)
			.isEqualTo(expression.chars().filter((c) -> c == ')').count());
		Matcher selectors = SELECTOR.matcher(expression);
		int seen = 0;
		while (selectors.find()) {
			seen++;
			assertThat(this.metrics).as(where).containsKey(selectors.group(1));
			assertThat(found(MATCHER.pattern(), String.valueOf(selectors.group(2))))
				.as("%s: %s", where, selectors.group())
				.isSubsetOf(labelsOf(selectors.group(1)));
		}
		assertThat(seen).as(where).isPositive();
		List<String> groupings = new ArrayList<>(found(GROUPING.pattern(), expression));
		groupings.addAll(found(MATCHING.pattern(), expression));
		for (String grouping : groupings) {
			for (String label : grouping.split("\\s*,\\s*")) {
				selectors.reset();
				while (selectors.find()) {
					assertThat(labelsOf(selectors.group(1))).as("%s: %s", where, expression).contains(label.strip());
				}
			}
		}
	}

	/** The labels of the result: those grouped by, or all of the metric. */
	private Set<String> labels(String expression) {
		List<String> groupings = found(GROUPING.pattern(), expression);
		if (!groupings.isEmpty()) {
			return new HashSet<>(List.of(groupings.get(0).split("\\s*,\\s*")));
		}
		Matcher selector = SELECTOR.matcher(expression);
		return selector.find() ? labelsOf(selector.group(1)) : Set.of();
	}

	private Set<String> labelsOf(String metric) {
		Set<String> labels = new HashSet<>(OF_THE_TARGET);
		labels.addAll(this.metrics.getOrDefault(metric, Set.of()));
		return labels;
	}

	private static List<String> found(String pattern, String text) {
		return Pattern.compile(pattern).matcher(text).results().map((result) -> result.group(1)).toList();
	}

	/** The names that a Prometheus registry makes of the meters, with their tags. */
	private static Map<String, Set<String>> documentedMetrics() {
		Map<String, Set<String>> metrics = new TreeMap<>();
		for (String line : lines(Path.of("../docs/metrics.md"))) {
			String[] cells = line.split("\\s*\\|\\s*");
			if (cells.length < 4 || !cells[1].matches("`[a-z.]+`")) {
				continue;
			}
			String name = cells[1].replace("`", "").replace('.', '_');
			Set<String> tags = Set.of(cells[3].isBlank() ? new String[0] : cells[3].split(",\\s*"));
			for (String suffix : suffixes(cells[2])) {
				metrics.put(name + suffix, tags);
			}
			if (cells[2].equals("timer, buckets")) {
				Set<String> bucket = new HashSet<>(tags);
				bucket.add("le");
				metrics.put(name + "_seconds_bucket", bucket);
			}
		}
		return metrics;
	}

	private static List<String> suffixes(String type) {
		return switch (type) {
			case "counter" -> List.of("_total");
			case "timer", "timer, buckets" -> List.of("_seconds_count", "_seconds_sum", "_seconds_max");
			case "distribution" -> List.of("_count", "_sum", "_max");
			case "gauge, seconds" -> List.of("_seconds");
			default -> List.of("");
		};
	}

	private static List<String> lines(Path file) {
		try {
			return Files.readAllLines(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to read " + file, ex);
		}
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> yaml(String file) throws IOException {
		return Serialization.unmarshal(Files.readString(MONITORING.resolve(file)), Map.class);
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> map(Object value) {
		return (Map<String, Object>) value;
	}

	private static List<Map<String, Object>> maps(Object value) {
		List<Map<String, Object>> maps = new ArrayList<>();
		((List<?>) value).forEach((item) -> maps.add(map(item)));
		return maps;
	}

}
