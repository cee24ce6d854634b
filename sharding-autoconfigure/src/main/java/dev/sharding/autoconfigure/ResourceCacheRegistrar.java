package dev.sharding.autoconfigure;

import java.util.LinkedHashSet;
import java.util.Set;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;
import org.springframework.util.StringUtils;

import dev.sharding.kubernetes.cache.ResourceCache;
import dev.sharding.kubernetes.cache.ResourceCaches;

/**
 * Registers a bean {@code ResourceCache<T>} for each resource that a controller declares,
 * unless there is one.
 */
final class ResourceCacheRegistrar implements BeanDefinitionRegistryPostProcessor {

	@Override
	public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
		if (!(registry instanceof ConfigurableListableBeanFactory factory)) {
			return;
		}
		Set<Class<? extends HasMetadata>> types = new LinkedHashSet<>();
		ControllerBeans.find(factory).forEach((controller) -> types.addAll(controller.types()));
		for (Class<? extends HasMetadata> type : types) {
			ResolvableType cacheType = ResolvableType.forClassWithGenerics(ResourceCache.class, type);
			if (factory.getBeanNamesForType(cacheType, true, false).length == 0) {
				registry.registerBeanDefinition(beanName(registry, type), definition(factory, cacheType, type));
			}
		}
	}

	private static String beanName(BeanDefinitionRegistry registry, Class<?> type) {
		String name = StringUtils.uncapitalize(type.getSimpleName()) + "Cache";
		return registry.containsBeanDefinition(name) ? type.getName() + "Cache" : name;
	}

	private static RootBeanDefinition definition(ConfigurableListableBeanFactory factory, ResolvableType cacheType,
			Class<? extends HasMetadata> type) {
		RootBeanDefinition definition = new RootBeanDefinition();
		definition.setTargetType(cacheType);
		definition.setInstanceSupplier(() -> factory.getBean(ResourceCaches.class).of(type));
		return definition;
	}

}
