package dev.sharding.autoconfigure;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

import dev.sharding.kubernetes.Shard;
import dev.sharding.kubernetes.cache.ResourceCaches;
import dev.sharding.kubernetes.reconcile.EventRecorder;

/**
 * Registers the beans of each further ring, qualified with its name.
 */
final class FurtherRings implements ImportBeanDefinitionRegistrar, EnvironmentAware {

	/** Makes the shards. */
	static final String RING_SHARDS = "ringShards";

	@SuppressWarnings("NullAway.Init")
	private Environment environment;

	@Override
	public void setEnvironment(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
		for (String ring : RingNames.of(this.environment).further()) {
			register(registry, shardOf(ring), Shard.class, RING_SHARDS, "shard", ring, true);
			register(registry, cachesOf(ring), ResourceCaches.class, shardOf(ring), "caches", ring, false);
			register(registry, ring + "EventRecorder", EventRecorder.class, shardOf(ring), "events", ring, false);
			register(registry, partOf(ring), ShardPart.class, RING_SHARDS, "part", ring, true);
			register(registry, ring + "ShardLifecycle", PartLifecycle.class, RING_SHARDS, "lifecycle", ring, true);
		}
	}

	static String shardOf(String ring) {
		return ring + "Shard";
	}

	static String cachesOf(String ring) {
		return ring + "ResourceCaches";
	}

	static String partOf(String ring) {
		return ring + "ShardPart";
	}

	private static void register(BeanDefinitionRegistry registry, String name, Class<?> type, String factoryBean,
			String factoryMethod, String ring, boolean argument) {
		if (registry.containsBeanDefinition(name)) {
			return;
		}
		RootBeanDefinition definition = new RootBeanDefinition();
		definition.setTargetType(type);
		definition.setFactoryBeanName(factoryBean);
		definition.setFactoryMethodName(factoryMethod);
		if (argument) {
			definition.getConstructorArgumentValues().addGenericArgumentValue(ring);
		}
		definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, ring));
		registry.registerBeanDefinition(name, definition);
	}

}
