package dev.sharding.qos;

import java.time.InstantSource;
import java.util.List;

import dev.sharding.client.RequestThrottle;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.qos.spi.AccountingGroups;
import dev.sharding.qos.spi.Aggregation;
import dev.sharding.qos.spi.CostFunction;
import dev.sharding.qos.spi.Limits;
import dev.sharding.qos.spi.Selector;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * Auto-configuration for limits on outgoing requests.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty("sharding.qos.enabled")
@EnableConfigurationProperties(QosProperties.class)
public final class QosAutoConfiguration {

	@Bean
	static QosClients qosClients(ObjectProvider<RequestThrottle> throttle) {
		return new QosClients(throttle);
	}

	/**
	 * The rules, and the pieces that limits are made of.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(RequestThrottle.class)
	static class RulesConfiguration {

		@Bean
		@ConditionalOnMissingBean
		Selector qosSelector() {
			return Selector.STANDARD;
		}

		@Bean
		@ConditionalOnMissingBean
		CostFunction qosCostFunction() {
			return CostFunction.STANDARD;
		}

		@Bean
		@ConditionalOnMissingBean
		AccountingGroups qosAccountingGroups() {
			return AccountingGroups.STANDARD;
		}

		@Bean
		@ConditionalOnMissingBean
		Aggregation qosAggregation(ObjectProvider<RateLimiterRegistry> rateLimiters,
				ObjectProvider<BulkheadRegistry> bulkheads) {
			return QosPieces.aggregation(rateLimiters.getIfAvailable(RateLimiterRegistry::ofDefaults),
					bulkheads.getIfAvailable(BulkheadRegistry::ofDefaults), System::nanoTime);
		}

		@Bean
		@ConditionalOnMissingBean
		Limits qosLimits() {
			return Limits.STANDARD;
		}

		@Bean
		Qos qos(QosProperties properties, Selector selector, CostFunction cost, AccountingGroups accounting,
				Aggregation aggregation, Limits limits, ObjectProvider<MeterRegistry> meters) {
			return new Qos(QosDefinitions.of(properties), properties.toOptions(),
					new QosPieces(selector, cost, accounting, aggregation, limits), registry(meters),
					InstantSource.system(), System::nanoTime);
		}

		private static MeterRegistry registry(ObjectProvider<MeterRegistry> meters) {
			return meters.getIfUnique(() -> new CompositeMeterRegistry(Clock.SYSTEM, meters.orderedStream().toList()));
		}

		@Bean
		QosLifecycle qosLifecycle(Qos qos, ObjectProvider<KubernetesClient> client, QosProperties properties,
				ObjectProvider<QosShard> shard) {
			KubernetesClient unique = client.getIfUnique();
			QosShard member = shard.getIfUnique();
			List<KubernetesClient> clients = (unique != null) ? List.of(unique) : client.orderedStream().toList();
			return new QosLifecycle(qos, unique, new ShardCount(qos, clients, member, shard.stream().toList()),
					properties, member);
		}

		@Bean
		@ConditionalOnProperty("sharding.qos.config-map.name")
		@ImportRuntimeHints(RulesText.Hints.class)
		RulesConfigMap qosRulesConfigMap(Qos qos, ObjectProvider<KubernetesClient> client, QosProperties properties,
				ObjectProvider<QosShard> shard, ObjectProvider<MeterRegistry> meters) {
			QosShard member = shard.getIfUnique();
			KubernetesClient own = (member != null && member.client() != null) ? member.client() : client.getIfUnique();
			if (own == null) {
				throw new IllegalStateException(
						"'sharding.qos.config-map.name' is set, but there is no client, or more than one and none of them primary");
			}
			RulesConfigMap configMap = RulesConfigMap.of(qos, own, properties.configMap(),
					(member != null) ? member.name() : "");
			configMap.bindTo(registry(meters));
			return configMap;
		}

		@Bean
		@ConditionalOnProperty("sharding.qos.config-map.name")
		ShapesConfigMap qosShapesConfigMap(RulesConfigMap configMap) {
			return configMap.shapes();
		}

	}

}
