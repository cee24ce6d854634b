package dev.sharding.internal.autoconfigure.runtime;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ResolvableType;

import dev.sharding.autoconfigure.Apps;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.ControllerCustomizer;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.Shard;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How controllers and caches become beans.
 */
class ControllerBeansTests {

	private final ApplicationContextRunner runner = Apps.application();

	private final ApplicationContextRunner shard = Apps.shard();

	@Test
	void injectsCachesOfTheDeclaredResources() {
		this.shard.withUserConfiguration(CacheUser.class).run((context) -> {
			CacheUser user = context.getBean(CacheUser.class);
			ResourceCaches caches = context.getBean(ResourceCaches.class);
			assertThat(user.secrets).isSameAs(caches.of(Secret.class));
			assertThat(user.configMaps).isSameAs(caches.of(ConfigMap.class));
		});
	}

	@Test
	void readsControllersWithoutCreatingThem() {
		this.shard
			.withBean("check", BeanFactoryPostProcessor.class,
					() -> (factory) -> assertThat(factory.containsSingleton("secretController")).isFalse())
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(Apps.SecretController.class));
	}

	@Test
	void takesControllersOfFactoryMethodsAndSpecifications() {
		this.runner.withUserConfiguration(ControllerMethods.class)
			.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1", "sharding.lease.namespace=default")
			.run((context) -> {
				assertThat(context.getBean(Shard.class).controllers())
					.extracting((controller) -> controller.spec().name())
					.containsExactlyInAnyOrder("byMethod", "website");
				assertThat(context
					.getBeanNamesForType(ResolvableType.forClassWithGenerics(ResourceCache.class, Secret.class)))
					.hasSize(1);
			});
	}

	@Test
	void aReconcilerCompletesItsController() {
		this.runner.withUserConfiguration(CustomizedController.class)
			.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1", "sharding.lease.namespace=default",
					"sharding.reconcile.resync-period=0")
			.run((context) -> assertThat(context.getBean(Shard.class).controllers()).singleElement()
				.satisfies((controller) -> {
					assertThat(controller.spec().name()).isEqualTo("renamed");
					assertThat(controller.spec().concurrency()).isEqualTo(3);
					assertThat(controller.spec().resync()).isNull();
				}));
	}

	@ShardedController
	static class CustomizedController implements Reconciler<Secret>, ControllerCustomizer<Secret> {

		@Override
		public Result reconcile(Secret object) {
			return Result.done();
		}

		@Override
		public void customize(ControllerSpec.Builder<Secret> controller) {
			controller.named("renamed").concurrency(3);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ControllerMethods {

		@Bean
		@ShardedController
		Reconciler<Secret> byMethod() {
			return (secret) -> Result.done();
		}

		@Bean
		ControllerSpec<?> website() {
			return ControllerSpec.of(ResourceType.of(new ResourceDefinitionContext.Builder().withGroup("example.com")
				.withVersion("v1")
				.withKind("Website")
				.withPlural("websites")
				.withNamespaced(true)
				.build()), (website) -> Result.done()).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CacheUser {

		private final ResourceCache<Secret> secrets;

		private final ResourceCache<ConfigMap> configMaps;

		CacheUser(ResourceCache<Secret> secrets, ResourceCache<ConfigMap> configMaps) {
			this.secrets = secrets;
			this.configMaps = configMaps;
		}

	}

}
