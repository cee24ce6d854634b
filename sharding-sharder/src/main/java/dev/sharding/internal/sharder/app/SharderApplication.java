package dev.sharding.internal.sharder.app;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.sharder.app.management.ManagementProperties;
import dev.sharding.internal.sharder.cli.ShardingCommand;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/**
 * Runs a sharder for the cluster that {@code KUBECONFIG}, or else the pod it runs in,
 * names. Stops gracefully on SIGTERM.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties({ SharderProperties.class, ElectionProperties.class, WebhookProperties.class,
		ManagementProperties.class })
public class SharderApplication {

	/*
	 * An API server that cannot be reached is no reason to end the process, so the
	 * liveness asks for our own threads only.
	 */
	public static final Map<String, Object> DEFAULTS = Map.ofEntries(Map.entry("spring.application.name", "sharder"),
			Map.entry("spring.main.banner-mode", "off"), Map.entry("spring.main.web-application-type", "none"),
			Map.entry("spring.main.keep-alive", "true"), Map.entry("spring.jmx.enabled", "false"),
			Map.entry("management.endpoints.web.exposure.include", "health"),
			Map.entry("management.endpoint.health.show-details", "always"),
			Map.entry("management.endpoint.health.group.liveness.include", "livenessState,loops"),
			Map.entry("management.endpoint.health.group.readiness.include", "readinessState,webhook"),
			Map.entry("management.endpoint.health.group.liveness.additional-path", "server:/healthz"),
			Map.entry("management.endpoint.health.group.readiness.additional-path", "server:/readyz"));

	/**
	 * Starts the program.
	 * @param args Spring Boot's arguments, and {@code --config=FILE} for a SharderConfig
	 * of the Go project; or {@code roles FILE} to print the roles that the ControllerRing
	 * in that file needs, or {@code kubectl ...} for the command line
	 */
	public static void main(String[] args) {
		if (args.length > 0 && ShardingCommand.NAME.equals(args[0])) {
			// Read by what logs, before it logs for the first time.
			System.setProperty("logback.configurationFile", "dev/sharding/internal/sharder/cli/logback.xml");
			System.exit(ShardingCommand.run(Arrays.copyOfRange(args, 1, args.length), System.out, System.err));
		}
		if (args.length > 0 && RolesCommand.NAME.equals(args[0])) {
			System.exit(RolesCommand.run(args, System.out, System.err));
		}
		Map<String, Object> config;
		try {
			config = SharderConfigFile.ofArguments(args, System.getenv());
		}
		catch (IllegalArgumentException ex) {
			System.err.println(ex.getMessage());
			System.exit(1);
			return;
		}
		create(config).run(args);
	}

	/**
	 * Creates the program.
	 * @param config what its configuration file says
	 * @param further further configuration
	 * @return the program with its defaults, to be run
	 */
	public static SpringApplication create(Map<String, Object> config, Class<?>... further) {
		SpringApplication application = new SpringApplication(SharderApplication.class);
		application.addPrimarySources(List.of(further));
		// Not in a file: the jar is also a library, and its files would be found there.
		Map<String, Object> defaults = new LinkedHashMap<>(DEFAULTS);
		defaults.putAll(config);
		application.setDefaultProperties(defaults);
		return application;
	}

}
