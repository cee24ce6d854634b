package dev.sharding.internal.autoconfigure.runtime;

import java.util.Set;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;

import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.EventRecorder;
import dev.sharding.internal.autoconfigure.settings.RingNames;

/**
 * Offers what is outside any ring by the names of the rings as well where nothing is
 * sharded, as the beans that ask for those of a ring are to start there unchanged. Only
 * for who asks by the name of a ring, and only made then.
 */
final class RingStandIns {

	private RingStandIns() {
	}

	/**
	 * Registers the definitions, but for what the user qualified with the ring.
	 * @param registry takes them
	 * @param factory the same, which knows the beans
	 * @param types the resources of all controllers
	 * @param rings the rings, which are disabled
	 */
	static void register(BeanDefinitionRegistry registry, ConfigurableListableBeanFactory factory,
			Set<Class<? extends HasMetadata>> types, RingNames rings) {
		String caches = Caches.noRing(factory, rings);
		for (String ring : rings.names()) {
			RootBeanDefinition all = definition(ResolvableType.forClass(ResourceCaches.class), ring);
			all.setBeanClass(RingStandIns.class);
			all.setFactoryMethodName("caches");
			all.getConstructorArgumentValues().addGenericArgumentValue(new RuntimeBeanReference(caches));
			register(registry, factory, FurtherRings.cachesOf(ring), all, ring);
			RootBeanDefinition recorder = definition(ResolvableType.forClass(EventRecorder.class), ring);
			recorder.setBeanClass(RingStandIns.class);
			recorder.setFactoryMethodName("recorder");
			// Ours or the user's, whichever is injected elsewhere.
			recorder.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
			register(registry, factory, FurtherRings.recorderOf(ring), recorder, ring);
			for (Class<? extends HasMetadata> type : types) {
				RootBeanDefinition cache = definition(ResolvableType.forClassWithGenerics(ResourceCache.class, type),
						ring);
				cache.setFactoryBeanName(caches);
				cache.setFactoryMethodName("of");
				cache.getConstructorArgumentValues().addGenericArgumentValue(type, Class.class.getName());
				register(registry, factory, ResourceCacheRegistrar.beanName(registry, ring + ".", type), cache, ring);
			}
		}
	}

	/* Called by the definitions, which as such can be written down ahead of time. */
	static ResourceCaches caches(ResourceCaches noRing) {
		return noRing;
	}

	static EventRecorder recorder(EventRecorder noRing) {
		return noRing;
	}

	private static RootBeanDefinition definition(ResolvableType type, String ring) {
		RootBeanDefinition definition = new RootBeanDefinition();
		definition.setTargetType(type);
		definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, ring));
		definition.setDefaultCandidate(false);
		definition.setLazyInit(true);
		return definition;
	}

	private static void register(BeanDefinitionRegistry registry, ConfigurableListableBeanFactory factory, String name,
			RootBeanDefinition definition, String ring) {
		for (String bean : factory.getBeanNamesForType(definition.getResolvableType(), true, false)) {
			Object qualifier = FurtherRings.qualifier(factory, bean);
			if ((qualifier != null) ? qualifier.equals(ring) : bean.equals(ring)) {
				return;
			}
		}
		if (!registry.containsBeanDefinition(name)) {
			registry.registerBeanDefinition(name, definition);
		}
	}

}
