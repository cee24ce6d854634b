package dev.sharding.autoconfigure;

import java.util.UUID;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
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

import dev.sharding.core.lease.RenewalTimings;
import dev.sharding.kubernetes.lease.LeaseClock;
import dev.sharding.kubernetes.lease.LeaseHolder;
import dev.sharding.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.sharder.Sharder;
import dev.sharding.sharder.SharderOptions;

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

	private static final String LEASE_NAME = "sharder";

	@Bean
	@ConditionalOnMissingBean
	SharderLeaseConnection sharderLeaseConnection(KubernetesClient client) {
		return new SharderLeaseConnection(new LeaseConnection(client.getConfiguration(), RenewalTimings.DEFAULTS));
	}

	@Bean
	@ConditionalOnMissingBean
	EmbeddedSharder embeddedSharder(KubernetesClient client, SharderLeaseConnection leaseConnection,
			SharderProperties properties, ObjectProvider<MeterRegistry> meters) {
		MeterRegistry registry = meters.getIfAvailable(CompositeMeterRegistry::new);
		LeaseHolder lease = new LeaseHolder(
				LeaseHolderConfig.leader(properties.leaseNamespace(), LEASE_NAME,
						ShardSettings.hostName() + "_" + UUID.randomUUID(), RenewalTimings.DEFAULTS),
				leaseConnection.connection().client(), registry, LeaseClock.SYSTEM);
		SharderOptions options = new SharderOptions(properties.syncPeriod(), properties.concurrentMoves(),
				properties.excludedNamespaces());
		return new EmbeddedSharder(lease, () -> new Sharder(client, options, registry));
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
		SharderHealthIndicator sharderHealthIndicator(EmbeddedSharder embeddedSharder) {
			return new SharderHealthIndicator(embeddedSharder);
		}

	}

	/**
	 * The client for the Lease of the sharder.
	 *
	 * @param connection the client
	 */
	record SharderLeaseConnection(LeaseConnection connection) implements AutoCloseable {

		@Override
		public void close() {
			this.connection.close();
		}

	}

}
