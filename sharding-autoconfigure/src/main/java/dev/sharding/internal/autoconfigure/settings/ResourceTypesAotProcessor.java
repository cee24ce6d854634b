package dev.sharding.internal.autoconfigure.settings;

import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

import dev.sharding.cache.ResourceCache;

/**
 * Has a native image keep the classes of the resources that controllers declare: they are
 * read, written, copied and slimmed by reflection. Each has a bean of type
 * {@code ResourceCache}.
 */
final class ResourceTypesAotProcessor implements BeanFactoryInitializationAotProcessor {

	@Override
	public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
			ConfigurableListableBeanFactory factory) {
		Set<Type> types = new LinkedHashSet<>();
		for (String name : factory.getBeanNamesForType(ResourceCache.class, true, false)) {
			ResolvableType type = factory.getMergedBeanDefinition(name).getResolvableType().as(ResourceCache.class);
			Class<?> resource = type.getGeneric(0).resolve();
			if (resource != null) {
				types.add(resource);
			}
		}
		return types.isEmpty() ? null : (context, code) -> new BindingReflectionHintsRegistrar()
			.registerReflectionHints(context.getRuntimeHints().reflection(), types.toArray(Type[]::new));
	}

}
