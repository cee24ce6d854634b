package dev.sharding.autoconfigure;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import dev.sharding.autoconfigure.ShardingAutoConfigurationTests.SecretController;
import dev.sharding.autoconfigure.ShardingAutoConfigurationTests.UnreachableCluster;
import dev.sharding.kubernetes.PlainControllers;
import dev.sharding.kubernetes.RuntimePhase;
import dev.sharding.kubernetes.Shard;
import dev.sharding.kubernetes.cache.ResourceCache;
import dev.sharding.kubernetes.cache.ResourceCaches;
import dev.sharding.kubernetes.reconcile.Reconciler;
import dev.sharding.kubernetes.reconcile.Result;

import static org.assertj.core.api.Assertions.assertThat;

class PlainControllersAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(KubernetesClientAutoConfiguration.class, ShardingAutoConfiguration.class,
						PlainControllersAutoConfiguration.class, ShardingHealthAutoConfiguration.class))
		.withUserConfiguration(UnreachableCluster.class)
		.withPropertyValues("sharding.lease.namespace=default", "spring.application.name=app");

	@Test
	void doesNothingWithoutController() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(PlainControllers.class));
	}

	@Test
	void needsNoRingAndElectsALeader() {
		this.runner.withUserConfiguration(ServiceController.class).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(Shard.class);
			PlainControllers controllers = context.getBean(PlainControllers.class);
			assertThat(controllers.phase()).isEqualTo(RuntimePhase.SYNCING);
			assertThat(controllers.lease()).isNotNull();
			assertThat(controllers.lease().config().path()).isEqualTo("default/app-leader");
			assertThat(controllers.controllers()).singleElement()
				.satisfies((controller) -> assertThat(controller.spec().name()).isEqualTo("serviceController"));
			HealthIndicator health = context.getBean("plainControllersHealthIndicator", HealthIndicator.class);
			assertThat(health.health()).isNotNull()
				.satisfies((syncing) -> assertThat(syncing.getStatus()).isNotEqualTo(Status.UP));
		});
	}

	@Test
	void runsEverywhereIfToldTo() {
		this.runner.withUserConfiguration(ServiceController.class)
			.withPropertyValues("sharding.leader-election.enabled=false")
			.run((context) -> assertThat(context.getBean(PlainControllers.class).lease()).isNull());
	}

	@Test
	void livesBesideShardedControllers() {
		this.runner.withUserConfiguration(ServiceController.class, SecretController.class, CacheUser.class)
			.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1")
			.run((context) -> {
				assertThat(context.getBean(Shard.class).controllers())
					.extracting((controller) -> controller.spec().name())
					.containsExactly("secretController");
				assertThat(context.getBean(PlainControllers.class).controllers())
					.extracting((controller) -> controller.spec().name())
					.containsExactly("serviceController");
				ResourceCaches sharded = context.getBean(Shard.class).caches();
				ResourceCaches plain = context.getBean(PlainControllers.class).caches();
				CacheUser user = context.getBean(CacheUser.class);
				assertThat(user.caches).isSameAs(sharded);
				assertThat(user.secrets).isSameAs(sharded.of(Secret.class));
				assertThat(user.configMaps).isSameAs(sharded.of(ConfigMap.class));
				assertThat(user.services).isSameAs(plain.of(Service.class));
			});
	}

	@PlainController(value = "serviceController", owns = ConfigMap.class)
	static class ServiceController implements Reconciler<Service> {

		@Override
		public Result reconcile(Service object) {
			return Result.done();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CacheUser {

		private final ResourceCaches caches;

		private final ResourceCache<Secret> secrets;

		private final ResourceCache<ConfigMap> configMaps;

		private final ResourceCache<Service> services;

		CacheUser(ResourceCaches caches, ResourceCache<Secret> secrets, ResourceCache<ConfigMap> configMaps,
				ResourceCache<Service> services) {
			this.caches = caches;
			this.secrets = secrets;
			this.configMaps = configMaps;
			this.services = services;
		}

	}

}
