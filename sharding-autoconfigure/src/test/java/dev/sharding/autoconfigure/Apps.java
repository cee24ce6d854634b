package dev.sharding.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.util.ClassUtils;

import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;

/**
 * Applications for tests that need no API server: at the address of the client nobody
 * listens.
 */
public final class Apps {

	private Apps() {
	}

	/** With everything that the module configures, and nothing else. */
	public static ApplicationContextRunner application() {
		return new ApplicationContextRunner().withConfiguration(everything())
			.withUserConfiguration(UnreachableCluster.class);
	}

	/** With a controller of Secrets, and properties that make it a shard. */
	public static ApplicationContextRunner shard() {
		return application().withUserConfiguration(SecretController.class)
			.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1",
					"sharding.lease.namespace=default");
	}

	/** Sets properties as a file application.yaml does. */
	static ApplicationContextInitializer<ConfigurableApplicationContext> yaml(String text) {
		return (context) -> {
			try {
				new YamlPropertySourceLoader()
					.load("application.yaml", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
					.forEach(context.getEnvironment().getPropertySources()::addFirst);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		};
	}

	/** The auto-configurations that the module registers. */
	public static AutoConfigurations everything() {
		ClassLoader classLoader = Apps.class.getClassLoader();
		return AutoConfigurations.of(ImportCandidates.load(AutoConfiguration.class, classLoader)
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("dev.sharding."))
			.map((name) -> ClassUtils.resolveClassName(name, classLoader))
			.toArray(Class<?>[]::new));
	}

	/** What the user is told about a failed start. */
	static FailureAnalysis analysis(Throwable failure) {
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, (type, name, otherNeedsArguments) -> {
			})
			.stream()
			.filter((analyzer) -> analyzer.getClass().getName().startsWith("dev.sharding."))
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseThrow();
	}

	@Configuration(proxyBeanMethods = false)
	public static class UnreachableCluster {

		@Bean
		public KubernetesClient unreachable() {
			return new KubernetesClientBuilder()
				.withConfig(new ConfigBuilder().withAutoConfigure(false).withMasterUrl("https://127.0.0.1:1").build())
				.build();
		}

	}

	@ShardedController(value = "secretController", owns = ConfigMap.class)
	public static class SecretController implements Reconciler<Secret> {

		@Override
		public Result reconcile(Secret object) {
			return Result.done();
		}

	}

}
