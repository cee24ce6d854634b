package dev.sharding.internal.autoconfigure.settings;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;

import dev.sharding.cache.ResourceCache;

/**
 * Explains that a cache is injected that no controller declares. Comes before the
 * analyzer of Spring Boot, which names neither the resource nor what to do.
 */
@Order(-1)
public final class ResourceCacheFailureAnalyzer
		extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause,
			@Nullable String description) {
		ResolvableType wanted = cause.getResolvableType();
		if (wanted == null || wanted.resolve() != ResourceCache.class || cause.getNumberOfBeansFound() > 0) {
			return null;
		}
		Class<?> resource = wanted.getGeneric().resolve();
		String name = (resource != null) ? resource.getSimpleName() : "…";
		return new FailureAnalysis(
				"%s needs a ResourceCache<%s>, but no annotated controller declares %s."
					.formatted((description != null) ? description : "A bean", name, name),
				"If the controller makes objects of that kind, declare it: 'owns = %s.class'. Otherwise take 'caches.of(%s.class)' from the bean 'ResourceCaches': unless the ring lists it, that cache holds all objects of that kind."
					.formatted(name, name),
				cause);
	}

}
