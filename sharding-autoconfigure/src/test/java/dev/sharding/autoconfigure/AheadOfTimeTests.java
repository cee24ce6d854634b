package dev.sharding.autoconfigure;

import java.util.function.Consumer;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import org.junit.jupiter.api.Test;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.EventRecorder;
import dev.sharding.shard.LeaderElectedControllers;
import dev.sharding.shard.Shard;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that was processed ahead of time has the beans that are registered by
 * code: those of further rings, and the caches.
 */
class AheadOfTimeTests {

	private static final TestPropertyValues PROPERTIES = TestPropertyValues.of("sharding.ring=ring",
			"sharding.shard-name=shard-1", "sharding.lease.namespace=default", "spring.application.name=app",
			"sharding.rings.elsewhere.namespaces=team-a");

	@Test
	@CompileWithForkedClassLoader
	void hasFurtherRingsAndControllersOutsideAnyRing() {
		run(PROPERTIES, AheadOfTimeTests::assertHasAll, Application.class);
	}

	@Test
	@CompileWithForkedClassLoader
	void answersToTheNamesOfRingsWithoutRings() {
		run(PROPERTIES.and("sharding.enabled=false"), AheadOfTimeTests::assertHasStandIns, Application.class,
				LeaderElectedControllersAutoConfigurationTests.RingUser.class);
	}

	private static void run(TestPropertyValues properties, Consumer<GenericApplicationContext> assertions,
			Class<?>... application) {
		AnnotationConfigApplicationContext processed = new AnnotationConfigApplicationContext();
		properties.applyTo(processed);
		processed.register(application);
		TestGenerationContext generation = new TestGenerationContext();
		new ApplicationContextAotGenerator().processAheadOfTime(processed, generation);
		generation.writeGeneratedContent();
		TestCompiler.forSystem().with(generation).compile((compiled) -> {
			GenericApplicationContext context = new GenericApplicationContext();
			properties.applyTo(context);
			initialize(compiled.getInstance(ApplicationContextInitializer.class), context);
			context.refresh();
			try (context) {
				assertions.accept(context);
			}
		});
	}

	private static void assertHasAll(GenericApplicationContext context) {
		Shard main = context.getBean(Shard.class);
		assertThat(main.controllers()).extracting((controller) -> controller.spec().name())
			.containsExactly("secretController");
		Shard elsewhere = BeanFactoryAnnotationUtils.qualifiedBeanOfType(context.getBeanFactory(), Shard.class,
				"elsewhere");
		assertThat(elsewhere.controllers()).extracting((controller) -> controller.spec().name())
			.containsExactly("elsewhereController");
		LeaderElectedControllers plain = context.getBean(LeaderElectedControllers.class);
		assertThat(plain.controllers()).extracting((controller) -> controller.spec().name())
			.containsExactly("serviceController");
		assertThat(context.getBean("secretCache")).isSameAs(main.caches().of(Secret.class));
		assertThat(context.getBeanNamesForType(ResourceCache.class)).containsExactlyInAnyOrder("secretCache",
				"elsewhere.secretCache", "serviceCache", "configMapCache", "noRing.configMapCache");
		assertThat(context.getBean("noRing.configMapCache")).isSameAs(plain.caches().of(ConfigMap.class));
		assertThat(context.getBeanProvider(ResolvableType.forClassWithGenerics(ResourceCache.class, ConfigMap.class))
			.getObject()).isSameAs(main.caches().of(ConfigMap.class));
		assertThat(context.getBean(ResourceCaches.class)).isSameAs(main.caches());
		assertThat(context.getBean("serviceCache"))
			.isSameAs(plain.caches().of(io.fabric8.kubernetes.api.model.Service.class));
	}

	private static void assertHasStandIns(GenericApplicationContext context) {
		LeaderElectedControllers plain = context.getBean(LeaderElectedControllers.class);
		assertThat(plain.controllers()).hasSize(3);
		assertThat(context.getBean(LeaderElectedControllersAutoConfigurationTests.RingUser.class)).isNotNull();
		for (String ring : new String[] { "ring", "elsewhere" }) {
			assertThat(
					BeanFactoryAnnotationUtils.qualifiedBeanOfType(context.getBeanFactory(), EventRecorder.class, ring))
				.isSameAs(context.getBean(EventRecorder.class));
			assertThat(BeanFactoryAnnotationUtils.qualifiedBeanOfType(context.getBeanFactory(), ResourceCaches.class,
					ring))
				.isSameAs(plain.caches());
			assertThat(context.getBean(ring + ".secretCache")).isSameAs(plain.caches().of(Secret.class));
		}
		assertThat(context.getBean(ResourceCaches.class)).isSameAs(plain.caches());
		assertThat(context.getBeanProvider(ResolvableType.forClassWithGenerics(ResourceCache.class, Secret.class))
			.getObject()).isSameAs(plain.caches().of(Secret.class));
	}

	@SuppressWarnings("unchecked")
	private static void initialize(ApplicationContextInitializer<?> initializer, GenericApplicationContext context) {
		((ApplicationContextInitializer<GenericApplicationContext>) initializer).initialize(context);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ KubernetesClientAutoConfiguration.class, ShardingAutoConfiguration.class,
			FurtherRingsAutoConfiguration.class, LeaderElectedControllersAutoConfiguration.class })
	@Import({ Apps.UnreachableCluster.class, Apps.SecretController.class, FurtherRingsTests.ElsewhereController.class,
			LeaderElectedControllersAutoConfigurationTests.ServiceController.class })
	static class Application {

	}

}
