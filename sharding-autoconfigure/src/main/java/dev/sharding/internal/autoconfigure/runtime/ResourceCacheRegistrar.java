package dev.sharding.internal.autoconfigure.runtime;

import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.autoconfigure.settings.RingNames;

/**
 * Registers a bean {@code ResourceCache<T>} for each resource that a controller declares,
 * unless the user has one for that ring; for each ring of its own, qualified with the
 * name of the ring.
 */
public final class ResourceCacheRegistrar implements BeanDefinitionRegistryPostProcessor {

	private final Environment environment;

	public ResourceCacheRegistrar(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
		if (!(registry instanceof ConfigurableListableBeanFactory factory)) {
			return;
		}
		RingNames rings = RingNames.of(this.environment);
		if (rings.enabled() && rings.main() != null) {
			qualify(registry, rings.main(), "shard", Caches.sharded(factory, rings), "eventRecorder");
		}
		Map<Class<? extends HasMetadata>, Set<String>> types = new LinkedHashMap<>();
		Set<Class<? extends HasMetadata>> noRing = new LinkedHashSet<>();
		for (ControllerBeans.Declared controller : ControllerBeans.find(factory, rings)) {
			for (Class<? extends HasMetadata> type : controller.types()) {
				if (controller.ring() != null) {
					types.computeIfAbsent(type, (unknown) -> new LinkedHashSet<>()).add(controller.ring());
				}
				else {
					noRing.add(type);
				}
			}
		}
		types.forEach((type, names) -> register(registry, factory, type, names, rings));
		for (Class<? extends HasMetadata> type : noRing) {
			if (types.containsKey(type)) {
				registerBesideShard(registry, factory, type, rings);
			}
			else {
				register(registry, factory, type, null, rings);
			}
		}
		if (!rings.enabled()) {
			RingStandIns.register(registry, factory, noRing, rings);
		}
	}

	/*
	 * A resource of both kinds of controllers is injected as the shard has it, a share,
	 * unless somebody asks for the whole.
	 */
	private static void registerBesideShard(BeanDefinitionRegistry registry, ConfigurableListableBeanFactory factory,
			Class<? extends HasMetadata> type, RingNames rings) {
		ResolvableType cacheType = ResolvableType.forClassWithGenerics(ResourceCache.class, type);
		String prefix = LeaderElectedPart.NAME + ".";
		// The user's own; or ours, written down ahead of time.
		if (Arrays.stream(factory.getBeanNamesForType(cacheType, true, false))
			.noneMatch((it) -> isOutsideRings(factory, it))) {
			RootBeanDefinition definition = definition(cacheType, type, Caches.noRing(factory, rings),
					LeaderElectedPart.NAME);
			definition.setDefaultCandidate(false);
			registry.registerBeanDefinition(beanName(registry, prefix, type), definition);
		}
	}

	private static boolean isOutsideRings(ConfigurableListableBeanFactory factory, String cache) {
		return LeaderElectedPart.NAME.equals(FurtherRings.qualifier(factory, cache));
	}

	private static void qualify(BeanDefinitionRegistry registry, String ring, String... beans) {
		for (String bean : beans) {
			if (registry.containsBeanDefinition(bean)
					&& registry.getBeanDefinition(bean) instanceof AbstractBeanDefinition definition
					&& definition.getQualifiers().isEmpty()) {
				definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, ring));
			}
		}
	}

	private static void register(BeanDefinitionRegistry registry, ConfigurableListableBeanFactory factory,
			Class<? extends HasMetadata> type, @Nullable Set<String> names, RingNames rings) {
		ResolvableType cacheType = ResolvableType.forClassWithGenerics(ResourceCache.class, type);
		// The null is that of the beans outside further rings.
		Set<@Nullable String> present = new HashSet<>();
		String[] caches = factory.getBeanNamesForType(cacheType, true, false);
		for (String name : caches) {
			if (names == null || !isOutsideRings(factory, name)) {
				present.add(FurtherRings.ringOf(factory, name, rings));
			}
		}
		boolean own = present.contains(null);
		if (names == null) {
			if (!own) {
				RootBeanDefinition definition = definition(cacheType, type, Caches.noRing(factory, rings),
						LeaderElectedPart.NAME);
				definition.setPrimary(!present.isEmpty());
				registry.registerBeanDefinition(beanName(registry, "", type), definition);
			}
			return;
		}
		for (String ring : names) {
			boolean main = !rings.further().contains(ring);
			if (!present.contains(main ? null : ring)) {
				RootBeanDefinition definition = definition(cacheType, type,
						main ? Caches.sharded(factory, rings) : FurtherRings.cachesOf(ring), ring);
				definition.setPrimary(main && (names.size() > 1 || caches.length > 0));
				// Who asks for no ring gets the bean of the user.
				definition.setDefaultCandidate(main || !own);
				registry.registerBeanDefinition(beanName(registry, main ? "" : ring + ".", type), definition);
			}
		}
	}

	/*
	 * By the method of the bean, so that the definition can be written down ahead of
	 * time.
	 */
	private static RootBeanDefinition definition(ResolvableType cacheType, Class<?> type, String caches,
			@Nullable String ring) {
		RootBeanDefinition definition = new RootBeanDefinition();
		definition.setTargetType(cacheType);
		definition.setFactoryBeanName(caches);
		definition.setFactoryMethodName("of");
		definition.getConstructorArgumentValues().addGenericArgumentValue(type, Class.class.getName());
		if (ring != null && !ring.isEmpty()) {
			definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, ring));
		}
		return definition;
	}

	static String beanName(BeanDefinitionRegistry registry, String prefix, Class<?> type) {
		String name = prefix + StringUtils.uncapitalize(type.getSimpleName()) + "Cache";
		return registry.containsBeanDefinition(name) ? prefix + type.getName() + "Cache" : name;
	}

}
