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
import dev.sharding.controller.LeaderElectedController;
import dev.sharding.internal.autoconfigure.ring.ClusterCheck;
import dev.sharding.internal.autoconfigure.ring.LeaseConnection;
import dev.sharding.internal.autoconfigure.runtime.ConditionalOnMissingMainBean;
import dev.sharding.internal.autoconfigure.runtime.ControllerSpecs;
import dev.sharding.internal.autoconfigure.runtime.MadeControllers;
import dev.sharding.internal.autoconfigure.runtime.OnOurCachesCondition;
import dev.sharding.internal.autoconfigure.runtime.PartLifecycle;
import dev.sharding.internal.autoconfigure.runtime.LeaderElectedPart;
import dev.sharding.internal.autoconfigure.settings.LossExit;
import dev.sharding.internal.autoconfigure.settings.RingNames;
import dev.sharding.internal.autoconfigure.settings.ShardSettings;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties.OnStartupProblem;
import dev.sharding.internal.autoconfigure.settings.StopTimes;
import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.leadership.LeaderElection;
import dev.sharding.shard.ApplicationExit;
import dev.sharding.shard.LeaderElectedControllers;
import dev.sharding.shard.RuntimeOptions;

/**
 * Auto-configuration for the controllers annotated with {@link LeaderElectedController},
 * and with {@code sharding.enabled=false} for all others as well, and for the leader
 * election that other beans ask.
 */
@AutoConfiguration(after = ShardingAutoConfiguration.class)
@Conditional(OnLeaderElectedControllersCondition.class)
public final class LeaderElectedControllersAutoConfiguration {

	private static final String NO_RING_EVENTS = "noRingEventRecorder";

	@Bean
	@ConditionalOnMissingBean
	LeaderElectedConnection leaderElectedConnection(KubernetesClient client, ShardingProperties properties) {
		return new LeaderElectedConnection(new LeaseConnection(client, ShardSettings.timings(properties.lease())));
	}

	@Bean
	@ConditionalOnMissingBean
	LeaderElectedControllers leaderElectedControllers(KubernetesClient client, LeaderElectedConnection leaseConnection,
			ShardingProperties properties, RuntimeOptions runtimeOptions, Environment environment) {
		if (!properties.leaderElection().enabled()) {
			return LeaderElectedControllers.everywhere(client, runtimeOptions);
		}
		if (!RingNames.of(properties).any()) {
			// Otherwise it is said for the shard.
			StopTimes.of(environment, runtimeOptions, ShardSettings.timings(properties.lease())).warnIfTooShort();
		}
		return LeaderElectedControllers.elected(
				client, leaseConnection.connection().client(), LeaderLease.of(properties,
						client.getConfiguration().getNamespace(), environment.getProperty("spring.application.name")),
				runtimeOptions);
	}

	@Bean
	@Conditional(OnOurCachesCondition.class)
	ResourceCaches noRingResourceCaches(LeaderElectedControllers leaderElectedControllers) {
		return leaderElectedControllers.caches();
	}

	@Bean({ "eventRecorder", NO_RING_EVENTS })
	@Primary
	@ConditionalOnMissingMainBean(EventRecorder.class)
	EventRecorder eventRecorder(LeaderElectedControllers leaderElectedControllers, RuntimeOptions runtimeOptions) {
		return leaderElectedControllers.events(runtimeOptions.fieldManager(), ShardSettings.hostName());
	}

	/* Beside that of a shard, which records while it holds its Lease. */
	@Bean(name = NO_RING_EVENTS, defaultCandidate = false)
	@ConditionalOnMissingBean(name = NO_RING_EVENTS)
	EventRecorder noRingEventRecorder(LeaderElectedControllers leaderElectedControllers,
			RuntimeOptions runtimeOptions) {
		return eventRecorder(leaderElectedControllers, runtimeOptions);
	}

	@Bean
	@ConditionalOnMissingBean
	ApplicationExit applicationExit(ApplicationContext context) {
		return new ContextExit(context);
	}

	@Bean
	LeaderElectedPart leaderElectedPart(KubernetesClient client, LeaderElectedControllers leaderElectedControllers,
			ShardingProperties properties, RuntimeOptions runtimeOptions, ConfigurableListableBeanFactory factory,
			MadeControllers madeControllers, ObjectProvider<ApplicationExit> exit,
			ObjectProvider<LeaderElection> leaderElection) {
		// Before the start, also where beans are made only when they are asked for.
		leaderElection.ifAvailable((election) -> {
		});
		LeaseHolder lease = leaderElectedControllers.lease();
		ClusterCheck cluster = (properties.onStartupProblem() != OnStartupProblem.FAIL) ? null : ClusterCheck
			.ofLeaderElected(client, runtimeOptions.namespaces(), (lease != null) ? lease.config().namespace() : null);
		return new LeaderElectedPart(leaderElectedControllers,
				new ControllerSpecs(factory, RingNames.of(properties), madeControllers), cluster,
				new LossExit((reason) -> exit.getObject().begin(reason), properties.lease().onLoss()));
	}

	@Bean
	PartLifecycle leaderElectedLifecycle(LeaderElectedPart leaderElectedPart, ShardingProperties properties) {
		return new PartLifecycle(leaderElectedPart, properties.autoStartup());
	}

	/**
	 * The leader election for beans that are no controllers.
	 */
	@Configuration(proxyBeanMethods = false)
	@Conditional(OnLeaderElectionCondition.class)
	static class LeaderElectionConfiguration {

		@Bean
		@ConditionalOnMissingBean
		LeaderElection leaderElection(LeaderElectedControllers leaderElectedControllers,
				ApplicationEventPublisher publisher) {
			LeaderElection election = leaderElectedControllers.leaderElection();
			LeaseHolder lease = leaderElectedControllers.lease();
			election.addListener(new LeadershipEvents(publisher, (lease != null) ? lease.config().path() : ""));
			return election;
		}

	}

	/**
	 * The client for the Lease of the leader.
	 *
	 * @param connection the client
	 */
	record LeaderElectedConnection(LeaseConnection connection) implements AutoCloseable {

		@Override
		public void close() {
			this.connection.close();
		}

	}

}
