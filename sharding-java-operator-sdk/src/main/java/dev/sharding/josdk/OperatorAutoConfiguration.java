package dev.sharding.josdk;

import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

import dev.sharding.autoconfigure.ShardingAutoConfiguration;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.Shard;

/**
 * Auto-configuration for reconcilers of java-operator-sdk: the beans of the application
 * become the controllers of an operator that runs while the shard holds its Lease.
 */
@AutoConfiguration(after = ShardingAutoConfiguration.class)
@ConditionalOnClass(Operator.class)
@ConditionalOnBean(Reconciler.class)
public final class OperatorAutoConfiguration {

	/** The name of the bean that is the client of the operator. */
	public static final String CLIENT = "shardedKubernetesClient";

	/**
	 * The operator of the shard.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(Shard.class)
	static class ShardedOperatorConfiguration {

		@Bean
		ControlledStamp controlledStamp(Shard shard) {
			return new ControlledStamp(shard.client().getKubernetesSerialization(), shard.ring(), shard::name);
		}

		@Bean
		FencedClient fencedClient(Shard shard, ControlledStamp controlledStamp) {
			return new FencedClient(shard.fencedClient(controlledStamp));
		}

		@Bean(name = CLIENT, defaultCandidate = false, destroyMethod = "")
		KubernetesClient shardedKubernetesClient(FencedClient fencedClient) {
			return fencedClient.client();
		}

		@Bean
		OperatorWork operatorWork(Shard shard, FencedClient client, ControlledStamp stamp,
				ObjectProvider<Reconciler<?>> reconcilers, ObjectProvider<OperatorCustomizer> customizers,
				ObjectProvider<ReconcilerCustomizer> reconcilerCustomizers, ObjectProvider<MeterRegistry> meters,
				RuntimeOptions options, ListableBeanFactory factory, Environment environment) {
			requireNoOther(factory);
			requireDefinition(environment);
			ShardObjects objects = new ShardObjects(shard, new ObjectTurns());
			List<Reconciler<?>> all = reconcilers.orderedStream().toList();
			List<OperatorCustomizer> ofOperator = customizers.orderedStream().toList();
			List<ReconcilerCustomizer> ofReconcilers = reconcilerCustomizers.orderedStream().toList();
			// Made for each term, as with slots the shard has another name in each.
			return new OperatorWork(shard, shard.client(), stamp, objects,
					() -> new SdkOperator(new SdkOperator.Settings(client.client(), all, ofOperator, ofReconcilers,
							options.namespaces(), options.stopTimeout(),
							ShardingLabels.shard(shard.ring()) + "=" + shard.name(), stamp, objects)),
					meters.stream().toList(),
					environment.getProperty("sharding.auto-startup", Boolean.class, Boolean.TRUE));
		}

		private static void requireNoOther(ListableBeanFactory factory) {
			Map<String, Operator> others = factory.getBeansOfType(Operator.class, true, false);
			if (!others.isEmpty()) {
				throw new OperatorSetupException(
						"There is an Operator of the application's own, bean '%s', besides the one of the shard: it would act on all objects in every replica"
							.formatted(others.keySet().iterator().next()),
						"Remove that bean, or the starter that makes it: every Reconciler bean becomes a controller by itself. What the bean configured goes into beans of type OperatorCustomizer and ReconcilerCustomizer.");
			}
		}

		private static void requireDefinition(Environment environment) {
			if (environment.getProperty("sharding.definition.apply", Boolean.class, false)
					&& environment.getProperty("sharding.definition.resources[0].resource") == null) {
				throw new OperatorSetupException(
						"'sharding.definition.apply' is true, and nothing says which resources of the operator the ring lists",
						"List them under 'sharding.definition.resources', with those of the dependents as 'controlled-resources'.");
			}
		}

		@Bean
		static OperatorMeterFilter operatorMeterFilter(ObjectProvider<Shard> shard) {
			return new OperatorMeterFilter(shard);
		}

	}

	/**
	 * The client of the operator, whatever processes beans that are clients.
	 *
	 * @param client the fenced client
	 */
	record FencedClient(KubernetesClient client) {
	}

	/**
	 * Says that nobody would run the reconcilers.
	 */
	@Configuration(proxyBeanMethods = false)
	@Lazy(false)
	@ConditionalOnBooleanProperty(name = "sharding.enabled", matchIfMissing = true)
	@ConditionalOnMissingBean({ Shard.class, Operator.class })
	static class MissingRingConfiguration {

		MissingRingConfiguration(ListableBeanFactory factory) {
			throw new OperatorSetupException(
					"There are reconcilers of java-operator-sdk (%s), and no ring whose objects they reconcile"
						.formatted(String.join(", ", List.of(factory.getBeanNamesForType(Reconciler.class)))),
					"Set 'sharding.ring' to the name of a ControllerRing that lists their resources.");
		}

	}

}
