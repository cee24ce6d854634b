package dev.sharding.autoconfigure;

import java.time.InstantSource;

import dev.sharding.core.qos.InvalidQosException;
import dev.sharding.core.qos.QosRules;
import dev.sharding.kubernetes.qos.Qos;
import dev.sharding.kubernetes.rest.RequestThrottle;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for limits on outgoing requests.
 */
@AutoConfiguration(before = KubernetesClientAutoConfiguration.class)
@ConditionalOnBooleanProperty("sharding.qos.enabled")
@EnableConfigurationProperties(QosProperties.class)
public final class QosAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(RequestThrottle.class)
	Qos qos(QosProperties properties, ObjectProvider<RateLimiterRegistry> rateLimiters,
			ObjectProvider<BulkheadRegistry> bulkheads, ObjectProvider<MeterRegistry> meters) {
		return new Qos(rules(properties), properties.toOptions(),
				rateLimiters.getIfAvailable(RateLimiterRegistry::ofDefaults),
				bulkheads.getIfAvailable(BulkheadRegistry::ofDefaults),
				meters.getIfAvailable(CompositeMeterRegistry::new), InstantSource.system(), System::nanoTime);
	}

	@Bean
	@ConditionalOnBean(Qos.class)
	QosLifecycle qosLifecycle(Qos qos, KubernetesClient client, QosProperties properties,
			ObjectProvider<ShardSettings> shard) {
		return new QosLifecycle(qos, client, properties, shard.getIfAvailable());
	}

	private static QosRules rules(QosProperties properties) {
		try {
			return QosDefinitions.of(properties);
		}
		catch (InvalidQosException | IllegalArgumentException ex) {
			throw new ShardingStartupException("The QoS rules cannot be used: " + ex.getMessage(),
					"Change the properties 'sharding.qos.classes' and 'sharding.qos.rules'.", ex);
		}
	}

}
