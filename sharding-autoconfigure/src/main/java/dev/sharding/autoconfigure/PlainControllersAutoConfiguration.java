package dev.sharding.autoconfigure;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;

import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.EventRecorder;
import dev.sharding.controller.PlainController;
import dev.sharding.internal.autoconfigure.ring.ClusterCheck;
import dev.sharding.internal.autoconfigure.ring.LeaseConnection;
import dev.sharding.internal.autoconfigure.runtime.ConditionalOnMissingMainBean;
import dev.sharding.internal.autoconfigure.runtime.ControllerSpecs;
import dev.sharding.internal.autoconfigure.runtime.MadeControllers;
import dev.sharding.internal.autoconfigure.runtime.OnOurCachesCondition;
import dev.sharding.internal.autoconfigure.runtime.PartLifecycle;
import dev.sharding.internal.autoconfigure.runtime.PlainPart;
import dev.sharding.internal.autoconfigure.settings.LossExit;
import dev.sharding.internal.autoconfigure.settings.RingNames;
import dev.sharding.internal.autoconfigure.settings.ShardSettings;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties.OnStartupProblem;
import dev.sharding.internal.autoconfigure.settings.StopTimes;
import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.leadership.LeaderElection;
import dev.sharding.shard.ApplicationExit;
import dev.sharding.shard.PlainControllers;
import dev.sharding.shard.RuntimeOptions;

/**
 * Auto-configuration for the controllers annotated with {@link PlainController}, and with
 * {@code sharding.enabled=false} for all others as well, and for the leader election that
 * other beans ask.
 */
@AutoConfiguration(after = ShardingAutoConfiguration.class)
@Conditional(OnPlainControllersCondition.class)
public final class PlainControllersAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	PlainConnection plainConnection(KubernetesClient client, ShardingProperties properties) {
		return new PlainConnection(new LeaseConnection(client, ShardSettings.timings(properties.lease())));
	}

	@Bean
	@ConditionalOnMissingBean
	PlainControllers plainControllers(KubernetesClient client, PlainConnection leaseConnection,
			ShardingProperties properties, RuntimeOptions runtimeOptions, Environment environment) {
		if (!properties.leaderElection().enabled()) {
			return PlainControllers.everywhere(client, runtimeOptions);
		}
		if (!RingNames.of(properties).any()) {
			// Otherwise it is said for the shard.
			StopTimes.of(environment, runtimeOptions, ShardSettings.timings(properties.lease())).warnIfTooShort();
		}
		return PlainControllers.elected(
				client, leaseConnection.connection().client(), LeaderLease.of(properties,
						client.getConfiguration().getNamespace(), environment.getProperty("spring.application.name")),
				runtimeOptions);
	}

	@Bean
	@Conditional(OnOurCachesCondition.class)
	ResourceCaches plainResourceCaches(PlainControllers plainControllers) {
		return plainControllers.caches();
	}

	@Bean
	@Primary
	@ConditionalOnMissingMainBean(EventRecorder.class)
	EventRecorder eventRecorder(PlainControllers plainControllers, RuntimeOptions runtimeOptions) {
		return plainControllers.events(runtimeOptions.fieldManager(), ShardSettings.hostName());
	}

	@Bean
	@ConditionalOnMissingBean
	ApplicationExit applicationExit(ApplicationContext context) {
		return new ContextExit(context);
	}

	@Bean
	PlainPart plainPart(KubernetesClient client, PlainControllers plainControllers, ShardingProperties properties,
			RuntimeOptions runtimeOptions, ConfigurableListableBeanFactory factory, MadeControllers madeControllers,
			ObjectProvider<ApplicationExit> exit, ObjectProvider<LeaderElection> leaderElection) {
		// Before the start, also where beans are made only when they are asked for.
		leaderElection.ifAvailable((election) -> {
		});
		LeaseHolder lease = plainControllers.lease();
		ClusterCheck cluster = (properties.onStartupProblem() != OnStartupProblem.FAIL) ? null : ClusterCheck
			.ofPlain(client, runtimeOptions.namespaces(), (lease != null) ? lease.config().namespace() : null);
		return new PlainPart(plainControllers, new ControllerSpecs(factory, RingNames.of(properties), madeControllers),
				cluster, new LossExit((reason) -> exit.getObject().begin(reason), properties.lease().onLoss()));
	}

	@Bean
	PartLifecycle plainLifecycle(PlainPart plainPart) {
		return new PartLifecycle(plainPart);
	}

	/**
	 * The leader election for beans that are no controllers.
	 */
	@Configuration(proxyBeanMethods = false)
	@Conditional(OnLeaderElectionCondition.class)
	static class LeaderElectionConfiguration {

		@Bean
		@ConditionalOnMissingBean
		LeaderElection leaderElection(PlainControllers plainControllers, ApplicationEventPublisher publisher) {
			LeaderElection election = plainControllers.leaderElection();
			LeaseHolder lease = plainControllers.lease();
			election.addListener(new LeadershipEvents(publisher, (lease != null) ? lease.config().path() : ""));
			return election;
		}

	}

	/**
	 * The client for the Lease of the leader.
	 *
	 * @param connection the client
	 */
	record PlainConnection(LeaseConnection connection) implements AutoCloseable {

		@Override
		public void close() {
			this.connection.close();
		}

	}

}
