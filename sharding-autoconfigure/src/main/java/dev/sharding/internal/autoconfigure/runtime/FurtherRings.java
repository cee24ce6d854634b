package dev.sharding.internal.autoconfigure.runtime;

import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.EventRecorder;
import dev.sharding.internal.autoconfigure.settings.RingNames;
import dev.sharding.qos.QosShard;
import dev.sharding.shard.Shard;

/**
 * Registers the beans of each further ring, qualified with its name.
 */
public final class FurtherRings implements ImportBeanDefinitionRegistrar, EnvironmentAware {

	/** Makes the shards. */
	public static final String RING_SHARDS = "ringShards";

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
			register(registry, recorderOf(ring), EventRecorder.class, shardOf(ring), "events", ring, false);
			register(registry, ring + "QosShard", QosShard.class, RING_SHARDS, "limits", ring, true);
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

	static String recorderOf(String ring) {
		return ring + "EventRecorder";
	}

	/**
	 * Finds out to which further ring a bean belongs, by its qualifier or its name.
	 * @param factory knows the bean
	 * @param bean its name
	 * @param rings the rings
	 * @return the name of the ring, {@code null} if the bean belongs to none
	 */
	static @Nullable String ringOf(ConfigurableListableBeanFactory factory, String bean, RingNames rings) {
		Object qualifier = qualifier(factory, bean);
		return rings.further()
			.stream()
			.filter((ring) -> (qualifier != null) ? qualifier.equals(ring)
					: Set.of(ring, shardOf(ring), cachesOf(ring), recorderOf(ring)).contains(bean))
			.findFirst()
			.orElse(null);
	}

	/* Definitions made ahead of time have ours without an annotation. */
	static @Nullable Object qualifier(ConfigurableListableBeanFactory factory, String bean) {
		Qualifier annotation = factory.findAnnotationOnBean(bean, Qualifier.class, false);
		if (annotation != null) {
			return annotation.value();
		}
		AutowireCandidateQualifier qualifier = (factory.containsBeanDefinition(bean)
				&& factory.getBeanDefinition(bean) instanceof AbstractBeanDefinition definition)
						? definition.getQualifier(Qualifier.class.getName()) : null;
		return (qualifier != null) ? qualifier.getAttribute(AutowireCandidateQualifier.VALUE_KEY) : null;
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
