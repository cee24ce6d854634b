package dev.sharding.sharder.app;

import java.util.Map;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/**
 * Runs a sharder for the cluster that {@code KUBECONFIG}, or else the pod it runs in,
 * names. Stops gracefully on SIGTERM.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties({ SharderProperties.class, ElectionProperties.class })
public class SharderApplication {

	/**
	 * Starts the program.
	 * @param args Spring Boot's arguments
	 */
	public static void main(String[] args) {
		SpringApplication application = new SpringApplication(SharderApplication.class);
		// Not in a file: the jar is also a library, and its files would be found there.
		application.setDefaultProperties(Map.of("spring.application.name", "sharder", "spring.main.banner-mode", "off",
				"spring.jmx.enabled", "false", "management.endpoints.web.exposure.include", "health,metrics",
				"management.endpoint.health.show-details", "always"));
		application.run(args);
	}

}
