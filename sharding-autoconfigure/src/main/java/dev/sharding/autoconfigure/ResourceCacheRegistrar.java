package dev.sharding.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

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

	/** The bean with the caches of the shard. */
	static final String SHARDED_CACHES = "resourceCaches";

	/** The bean with the caches of the controllers outside any ring. */
	static final String PLAIN_CACHES = "plainResourceCaches";

	@Override
	public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
		if (!(registry instanceof ConfigurableListableBeanFactory factory)) {
			return;
		}
		// A resource of both kinds of controllers: the shard's cache is the one to
		// inject.
		Map<Class<? extends HasMetadata>, String> types = new LinkedHashMap<>();
		for (ControllerBeans.Declared controller : ControllerBeans.find(factory)) {
			for (Class<? extends HasMetadata> type : controller.types()) {
				if (controller.sharded()) {
					types.put(type, SHARDED_CACHES);
				}
				else {
					types.putIfAbsent(type, PLAIN_CACHES);
				}
			}
		}
		types.forEach((type, caches) -> {
			ResolvableType cacheType = ResolvableType.forClassWithGenerics(ResourceCache.class, type);
			if (factory.getBeanNamesForType(cacheType, true, false).length == 0) {
				registry.registerBeanDefinition(beanName(registry, type), definition(factory, cacheType, type, caches));
			}
		});
	}

	private static String beanName(BeanDefinitionRegistry registry, Class<?> type) {
		String name = StringUtils.uncapitalize(type.getSimpleName()) + "Cache";
		return registry.containsBeanDefinition(name) ? type.getName() + "Cache" : name;
	}

	private static RootBeanDefinition definition(ConfigurableListableBeanFactory factory, ResolvableType cacheType,
			Class<? extends HasMetadata> type, String caches) {
		RootBeanDefinition definition = new RootBeanDefinition();
		definition.setTargetType(cacheType);
		definition.setInstanceSupplier(() -> factory.getBean(caches, ResourceCaches.class).of(type));
		return definition;
	}

}
