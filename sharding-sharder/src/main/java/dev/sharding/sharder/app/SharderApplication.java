package dev.sharding.sharder.app;

import java.util.LinkedHashMap;
import java.util.Map;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/**
 * Runs a sharder for the cluster that {@code KUBECONFIG}, or else the pod it runs in,
 * names. Stops gracefully on SIGTERM.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties({ SharderProperties.class, ElectionProperties.class, WebhookProperties.class })
public class SharderApplication {

	/*
	 * An API server that cannot be reached is no reason to end the process: not a part of
	 * the liveness.
	 */
	static final Map<String, Object> DEFAULTS = Map.of("spring.application.name", "sharder", "spring.main.banner-mode",
			"off", "spring.jmx.enabled", "false", "management.endpoints.web.exposure.include", "health",
			"management.endpoint.health.show-details", "always", "management.endpoint.health.group.liveness.include",
			"livenessState", "management.endpoint.health.group.readiness.include", "readinessState,webhook",
			"management.endpoint.health.group.liveness.additional-path", "server:/healthz",
			"management.endpoint.health.group.readiness.additional-path", "server:/readyz");

	/**
	 * Starts the program.
	 * @param args Spring Boot's arguments, and {@code --config=FILE} for a SharderConfig
	 * of the Go project; or {@code roles FILE} to print the roles that the ControllerRing
	 * in that file needs
	 */
	public static void main(String[] args) {
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
		SpringApplication application = new SpringApplication(SharderApplication.class);
		// Not in a file: the jar is also a library, and its files would be found there.
		Map<String, Object> defaults = new LinkedHashMap<>(DEFAULTS);
		defaults.putAll(config);
		application.setDefaultProperties(defaults);
		application.run(args);
	}

}
