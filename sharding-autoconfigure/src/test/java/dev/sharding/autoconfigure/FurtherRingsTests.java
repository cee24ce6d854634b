package dev.sharding.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ResolvableType;

import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.EventRecorder;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.internal.autoconfigure.runtime.PartLifecycle;
import dev.sharding.internal.autoconfigure.settings.RingNames;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.qos.QosShard;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.Shard;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several rings in one application.
 */
class FurtherRingsTests {

	private final ApplicationContextRunner both = Apps.shard()
		.withUserConfiguration(ElsewhereController.class)
		.withPropertyValues("sharding.rings.elsewhere.namespaces=team-a");

	@Test
	void joinsEachRingWithItsOwnControllers() {
		this.both.withUserConfiguration(Specification.class).run((context) -> {
			assertThat(context).hasNotFailed();
			Map<String, Shard> shards = context.getBeansOfType(Shard.class);
			assertThat(shards).containsOnlyKeys("shard", "elsewhereShard");
			assertThat(names(shards.get("shard"))).containsExactly("secretController");
			assertThat(names(shards.get("elsewhereShard"))).containsExactlyInAnyOrder("elsewhereController", "byName");
			assertThat(shards.get("elsewhereShard").ring()).isEqualTo("elsewhere");
			assertThat(shards.get("elsewhereShard").lease().config().path()).isEqualTo("default/shard-1-elsewhere");
			assertThat(context.getBeansOfType(PartLifecycle.class).values()).hasSize(2)
				.allMatch(PartLifecycle::isRunning);
		});
	}

	@Test
	void theNameOfTheRingQualifiesItsBeans() {
		this.both.withUserConfiguration(Injected.class).run((context) -> {
			assertThat(context).hasNotFailed();
			Injected injected = context.getBean(Injected.class);
			Shard main = context.getBean("shard", Shard.class);
			Shard further = context.getBean("elsewhereShard", Shard.class);
			assertThat(injected.shard).isSameAs(main);
			assertThat(injected.named).isSameAs(main);
			assertThat(injected.further).isSameAs(further);
			assertThat(injected.events).isSameAs(further.events());
			assertThat(injected.furtherCaches).isSameAs(further.caches());
			assertThat(injected.secrets).isSameAs(main.caches().of(Secret.class));
			assertThat(injected.furtherSecrets).isSameAs(further.caches().of(Secret.class));
		});
	}

	@Test
	void limitsOfEachRingAreDividedByItsOwnShards() {
		this.both.run((context) -> {
			QosShard main = context.getBean(QosShard.class);
			assertThat(main.ringPath()).endsWith("/controllerrings/" + context.getBean(Shard.class).ring());
			assertThat(main.name()).isEqualTo("shard-1");
			assertThat(main.term().get()).isNull();
			QosShard further = context.getBean("elsewhereQosShard", QosShard.class);
			assertThat(further.ringPath()).endsWith("/controllerrings/elsewhere");
			assertThat(further.name()).isEqualTo("shard-1-elsewhere");
			assertThat(further.term().get()).isNull();
		});
		this.both.withBean("mine", QosShard.class, () -> new QosShard("/rings/mine", "me"))
			.run((context) -> assertThat(context.getBeansOfType(QosShard.class)).containsOnlyKeys("mine",
					"elsewhereQosShard"));
	}

	@Test
	void needsNoRingOfItsOwn() {
		Apps.application()
			.withUserConfiguration(ElsewhereController.class)
			.withPropertyValues("sharding.rings.elsewhere.shard-name=a",
					"sharding.rings.elsewhere.lease-namespace=leases")
			.run((context) -> {
				assertThat(context).hasNotFailed().hasSingleBean(Shard.class).hasSingleBean(ResourceCaches.class);
				assertThat(context.getBean(Shard.class).lease().config().path()).isEqualTo("leases/a");
			});
	}

	@Test
	void shardsOfOneNameNeedLeasesInTwoNamespaces() {
		Apps.shard()
			.withPropertyValues("sharding.rings.elsewhere.shard-name=shard-1",
					"sharding.rings.elsewhere.lease-namespace=leases")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void theCachesOfTheOnlyRingNeedNoQualifier() {
		Apps.application()
			.withUserConfiguration(ElsewhereController.class)
			.withPropertyValues("sharding.rings.elsewhere.shard-name=a",
					"sharding.rings.elsewhere.lease-namespace=leases")
			.run((context) -> assertThat(context.getBean(ResourceCaches.class).of(Secret.class)).isSameAs(
					context.getBeanProvider(ResolvableType.forClassWithGenerics(ResourceCache.class, Secret.class))
						.getObject()));
	}

	@Test
	void aShardOfTheUserForAFurtherRingLeavesTheRingOfTheApplicationAlone() {
		this.both.withUserConfiguration(OwnFurtherShard.class).run((context) -> {
			assertThat(context).hasNotFailed();
			Map<String, Shard> shards = context.getBeansOfType(Shard.class);
			assertThat(shards).containsOnlyKeys("shard", "elsewhereShard");
			assertThat(shards.get("elsewhereShard").name()).isEqualTo("own-1");
			assertThat(shards.get("shard").ring()).isEqualTo("ring");
			assertThat(names(shards.get("shard"))).containsExactly("secretController");
			assertThat(names(shards.get("elsewhereShard"))).containsExactly("elsewhereController");
			assertThat(context.getBean(Shard.class)).isSameAs(shards.get("shard"));
		});
	}

	@Test
	void anEventRecorderOfTheUserForAFurtherRingLeavesTheRingOfTheApplicationAlone() {
		this.both.withUserConfiguration(OwnFurtherRecorder.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(EventRecorder.class)).isSameAs(context.getBean("shard", Shard.class).events())
				.isNotSameAs(context.getBean("elsewhereEventRecorder"));
		});
	}

	@Test
	void aCacheOfTheUserStandsForThatOfItsRingOnly() {
		this.both.withUserConfiguration(OwnFurtherCache.class, Injected.class).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean("elsewhere.secretCache");
			Injected injected = context.getBean(Injected.class);
			assertThat(injected.secrets).isSameAs(context.getBean("shard", Shard.class).caches().of(Secret.class));
			assertThat(injected.furtherSecrets).isSameAs(context.getBean("own"));
		});
		this.both.withUserConfiguration(OwnMainCache.class, Injected.class).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean("secretCache");
			Injected injected = context.getBean(Injected.class);
			assertThat(injected.secrets).isSameAs(context.getBean("own"));
			assertThat(injected.furtherSecrets)
				.isSameAs(context.getBean("elsewhereShard", Shard.class).caches().of(Secret.class));
		});
	}

	@Test
	void readsTheNames() {
		RingNames names = new RingNames(true, "ring", Set.of("elsewhere"));
		assertThat(names.of("bean", "")).isEqualTo("ring");
		assertThat(names.of("bean", "ring")).isEqualTo("ring");
		assertThat(names.of("bean", "elsewhere")).isEqualTo("elsewhere");
		assertThat(new RingNames(false, "ring", Set.of()).of("bean", "elsewhere")).isNull();
	}

	private static List<String> names(Shard shard) {
		return shard.controllers().stream().map((controller) -> controller.spec().name()).toList();
	}

	@ShardedController(value = "elsewhereController", ring = "elsewhere")
	static class ElsewhereController implements Reconciler<Secret> {

		@Override
		public Result reconcile(Secret object) {
			return Result.done();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Specification {

		@Bean
		@Qualifier("elsewhere")
		ControllerSpec<?> byName() {
			return ControllerSpec.of(ResourceType.of(Secret.class), (secret) -> Result.done()).named("byName").build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NamelessSpecification {

		@Bean
		@Qualifier("elsewhere")
		ControllerSpec<?> nameless() {
			return ControllerSpec.of(ResourceType.of(Secret.class), (secret) -> Result.done()).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnFurtherShard {

		@Bean
		@Qualifier("elsewhere")
		Shard elsewhereShard(KubernetesClient client) {
			return new Shard(client, client, "elsewhere",
					LeaseHolderConfig.shard("default", "elsewhere", "own-1", RenewalTimings.DEFAULTS),
					RuntimeOptions.DEFAULTS);
		}

	}

	/* Qualified by its name alone. */
	@Configuration(proxyBeanMethods = false)
	static class OwnFurtherRecorder {

		@Bean
		EventRecorder elsewhereEventRecorder(@Qualifier("elsewhere") Shard shard) {
			return shard.events();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnFurtherCache {

		@Bean
		@Qualifier("elsewhere")
		ResourceCache<Secret> own(@Qualifier("elsewhere") Shard shard) {
			return shard.caches().of(Secret.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnMainCache {

		@Bean
		ResourceCache<Secret> own(Shard shard) {
			return shard.caches().of(Secret.class);
		}

	}

	static class Injected {

		private final Shard shard;

		private final Shard named;

		private final Shard further;

		private final EventRecorder events;

		private final ResourceCaches furtherCaches;

		private final ResourceCache<Secret> secrets;

		private final ResourceCache<Secret> furtherSecrets;

		Injected(Shard shard, @Qualifier("ring") Shard named, @Qualifier("elsewhere") Shard further,
				@Qualifier("elsewhere") EventRecorder events, @Qualifier("elsewhere") ResourceCaches furtherCaches,
				ResourceCache<Secret> secrets, @Qualifier("elsewhere") ResourceCache<Secret> furtherSecrets) {
			this.shard = shard;
			this.named = named;
			this.further = further;
			this.events = events;
			this.furtherCaches = furtherCaches;
			this.secrets = secrets;
			this.furtherSecrets = furtherSecrets;
		}

	}

}
