package dev.sharding.autoconfigure;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

import dev.sharding.internal.autoconfigure.runtime.PartLifecycle;
import dev.sharding.internal.autoconfigure.runtime.SharderPart;
import dev.sharding.internal.autoconfigure.settings.SharderProperties;
import dev.sharding.internal.sharder.ElectedSharder;
import dev.sharding.internal.sharder.Sharder;

/**
 * Auto-configuration for a sharder inside the application, for clusters that have none of
 * their own. Needs the jar {@code sharding-sharder}.
 */
@AutoConfiguration(after = { KubernetesClientAutoConfiguration.class, ShardingAutoConfiguration.class },
		afterName = { "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass(Sharder.class)
@ConditionalOnBooleanProperty("sharding.sharder.enabled")
@EnableConfigurationProperties(SharderProperties.class)
public final class EmbeddedSharderAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	SharderPart sharderPart(KubernetesClient client, SharderProperties properties, ObjectProvider<MeterRegistry> meters,
			Environment environment) {
		SharderProperties.check(environment);
		return new SharderPart(new ElectedSharder(client, properties.toOptions(),
				properties.leaderElection().toOptions(), Meters.of(meters)));
	}

	@Bean
	PartLifecycle sharderLifecycle(SharderPart sharderPart, Environment environment) {
		return new PartLifecycle(sharderPart,
				environment.getProperty("sharding.auto-startup", Boolean.class, Boolean.TRUE));
	}

	/**
	 * The health of the sharder.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
	static class SharderHealthConfiguration {

		@Bean
		@ConditionalOnEnabledHealthIndicator("sharder")
		@ConditionalOnMissingBean(name = "sharderHealthIndicator")
		SharderHealthIndicator sharderHealthIndicator(SharderPart sharderPart) {
			return new SharderHealthIndicator(sharderPart.sharder());
		}

	}

}
