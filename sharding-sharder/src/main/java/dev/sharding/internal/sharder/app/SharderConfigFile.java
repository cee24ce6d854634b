package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Reads the SharderConfig of the Go project's sharder (protocol section 7.3) as Spring
 * properties, which everything else overrides. The Go sharder has a webhook, so with such
 * a file the mode is {@code both} unless it is set.
 */
final class SharderConfigFile {

	private static final Logger log = LoggerFactory.getLogger(SharderConfigFile.class);

	private static final String API_VERSION = "config.sharding.timebertt.dev/v1alpha1";

	private static final String OPTION = "--config";

	private static final String LEADER_ELECT = "LEADER_ELECT";

	private static final String LEADER_ELECTION = "sharding.sharder.leader-election.";

	/* How the flags of the Go sharder's log begin. */
	private static final String LOG_FLAGS = "--zap-";

	private final Map<String, Object> properties = new LinkedHashMap<>();

	private SharderConfigFile() {
	}

	/** The file that the arguments name, or {@code null}. */
	static @Nullable Path argument(String[] args) {
		for (int i = 0; i < args.length; i++) {
			if (args[i].startsWith(OPTION + "=")) {
				return Path.of(args[i].substring(OPTION.length() + 1));
			}
			if (args[i].equals(OPTION) && i + 1 < args.length) {
				return Path.of(args[i + 1]);
			}
		}
		return null;
	}

	/**
	 * Reads the file that the arguments name; without one, what the environment says. Of
	 * the other flags of the Go sharder, a warning says that they have no effect.
	 * @throws IllegalArgumentException if it is not a SharderConfig; the message says
	 * where
	 */
	static Map<String, Object> ofArguments(String[] args, Map<String, String> environment) {
		List<String> flags = Arrays.stream(args).filter((argument) -> argument.startsWith(LOG_FLAGS)).toList();
		if (!flags.isEmpty()) {
			log.warn("{} has no effect here: set the level of the log with --logging.level.root",
					String.join(" ", flags));
		}
		Path file = argument(args);
		if (file != null) {
			return read(file, environment);
		}
		String elect = environment.get(LEADER_ELECT);
		return (elect != null) ? Map.of(LEADER_ELECTION + "enabled", elect) : Map.of();
	}

	/**
	 * Reads a file.
	 * @throws IllegalArgumentException if it is not a SharderConfig; the message says
	 * where
	 */
	static Map<String, Object> read(Path file, Map<String, String> environment) {
		try {
			Object content = new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
			return of(content, environment);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"Failed to read the SharderConfig %s: %s".formatted(file, ex.getMessage()), ex);
		}
		// SnakeYAML throws anything for a value that is not of the type which it names.
		catch (IOException | RuntimeException ex) {
			throw new IllegalArgumentException("Failed to read the SharderConfig %s: %s".formatted(file, ex), ex);
		}
	}

	static Map<String, Object> of(@Nullable Object content, Map<String, String> environment) {
		ConfigSection root = ConfigSection.of("", content);
		if (!API_VERSION.equals(root.text("apiVersion")) || !"SharderConfig".equals(root.text("kind"))) {
			throw new IllegalArgumentException(
					"apiVersion and kind must be %s and SharderConfig".formatted(API_VERSION));
		}
		SharderConfigFile file = new SharderConfigFile();
		file.properties.put("sharding.sharder.mode", "both");
		file.clientConnection(root.section("clientConnection"));
		file.leaderElection(root.section("leaderElection"), environment.get(LEADER_ELECT));
		root.section("debugging").ignore("enableProfiling", "enableContentionProfiling");
		file.addresses(root.section("health").address("bindAddress"), root.section("metrics").address("bindAddress"));
		file.gracefulStop(root.text("gracefulShutDown"));
		ConfigSection sharder = root.section("controller").section("sharder");
		file.duration("sharding.sharder.sync-period", sharder.text("syncPeriod"));
		file.put("sharding.sharder.concurrent-moves", sharder.text("concurrentMoves"));
		ConfigSection webhook = root.section("webhook");
		file.server(webhook.section("server"));
		file.webhook(webhook.section("config"));
		root.refuseUnknown();
		return file.properties;
	}

	private void clientConnection(ConfigSection client) {
		String qps = client.text("qps");
		if (client.text("burst") != null || qps != null) {
			log.warn("The SharderConfig limits requests per second, which has no effect: the sharder limits the"
					+ " requests in flight");
		}
		client.ignore("kubeconfig", "contentType", "acceptContentTypes");
	}

	private void leaderElection(ConfigSection election, @Nullable String override) {
		String lock = election.text("resourceLock");
		if (lock != null && !lock.isEmpty() && !"leases".equals(lock)) {
			throw new IllegalArgumentException("'leaderElection.resourceLock' must be leases (is %s)".formatted(lock));
		}
		String prefix = LEADER_ELECTION;
		String elect = election.text("leaderElect");
		put(prefix + "enabled", (override != null) ? override : elect);
		duration(prefix + "lease-duration", election.text("leaseDuration"));
		duration(prefix + "renew-deadline", election.text("renewDeadline"));
		duration(prefix + "retry-period", election.text("retryPeriod"));
		put(prefix + "lease-name", election.text("resourceName"));
		put(prefix + "namespace", election.text("resourceNamespace"));
	}

	/* Health checks at the main port, all other endpoints at the one for metrics. */
	private void addresses(ConfigSection.Address health, ConfigSection.Address metrics) {
		// Of Spring's server, 0 would be any port.
		put("server.port", health.isDisabled() ? -1 : health.portOr(8081));
		put("server.address", health.host());
		if (metrics.isDisabled()) {
			return;
		}
		put("management.server.port", metrics.portOr(8080));
		put("management.server.address", metrics.host());
		put("management.endpoints.web.exposure.include", "health,prometheus");
	}

	private void gracefulStop(@Nullable String text) {
		Duration wait = GoDuration.parse((text != null) ? text : "15s");
		Duration longest = Duration.ofDays(1);
		Duration shortest = Duration.ofMillis(1);
		put("spring.lifecycle.timeout-per-shutdown-phase",
				(wait.isNegative() ? longest : wait.isZero() ? shortest : wait).toString());
	}

	private void server(ConfigSection server) {
		String folder = server.text("certDir");
		String certificate = server.text("certName");
		String key = server.text("keyName");
		Path place = (folder != null) ? Path.of(folder)
				: Path.of(System.getProperty("java.io.tmpdir"), "k8s-webhook-server", "serving-certs");
		Path file = place.resolve((certificate != null) ? certificate : "tls.crt");
		if (folder != null || Files.exists(file)) {
			put("sharding.sharder.webhook.certificate", file.toString());
			put("sharding.sharder.webhook.key", place.resolve((key != null) ? key : "tls.key").toString());
		}
	}

	private void webhook(ConfigSection webhook) {
		String prefix = "sharding.sharder.webhook.";
		webhook.section("annotations")
			.texts()
			.forEach((name, value) -> put(prefix + "annotations[" + name + "]", value));
		ConfigSection client = webhook.section("clientConfig");
		put(prefix + "url", client.text("url"));
		put(prefix + "ca-bundle", client.text("caBundle"));
		ConfigSection service = client.section("service");
		put(prefix + "service.namespace", service.text("namespace"));
		put(prefix + "service.name", service.text("name"));
		put(prefix + "service.port", service.text("port"));
		service.ignore("path");
		selector(prefix + "namespace-selector.", webhook.section("namespaceSelector"));
	}

	private void selector(String prefix, ConfigSection selector) {
		selector.section("matchLabels")
			.texts()
			.forEach((name, value) -> put(prefix + "match-labels[" + name + "]", value));
		List<ConfigSection> expressions = selector.sections("matchExpressions");
		for (int i = 0; i < expressions.size(); i++) {
			String expression = prefix + "match-expressions[" + i + "].";
			put(expression + "key", expressions.get(i).text("key"));
			put(expression + "operator", expressions.get(i).text("operator"));
			List<String> values = expressions.get(i).list("values");
			for (int j = 0; j < values.size(); j++) {
				put(expression + "values[" + j + "]", values.get(j));
			}
			expressions.get(i).refuseUnknown();
		}
	}

	private void duration(String property, @Nullable String text) {
		if (text != null) {
			put(property, GoDuration.parse(text).toString());
		}
	}

	private void put(String property, @Nullable Object value) {
		if (value != null) {
			this.properties.put(property, value);
		}
	}

}
