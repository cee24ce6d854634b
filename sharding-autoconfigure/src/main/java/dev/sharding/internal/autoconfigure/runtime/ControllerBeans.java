package dev.sharding.internal.autoconfigure.runtime;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.LeaderElectedController;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.ShardedController;
import dev.sharding.internal.autoconfigure.settings.RingNames;
import dev.sharding.internal.autoconfigure.settings.ShardingStartupException;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.Shard;

/**
 * The definitions of beans with {@link ShardedController} or
 * {@link LeaderElectedController}, read without creating a bean.
 */
final class ControllerBeans {

	/**
	 * One definition.
	 *
	 * @param beanName the name of the bean
	 * @param ring the name of its ring, {@code null} outside any ring
	 * @param mainType the class of the main resource
	 * @param owns the classes of the controlled resources
	 * @param specChangesOnly whether only changes of the specification matter
	 * @param concurrency how many objects are reconciled at a time, 0 for the default
	 */
	record Declared(String beanName, @Nullable String ring, Class<? extends HasMetadata> mainType,
			List<Class<? extends HasMetadata>> owns, boolean specChangesOnly, int concurrency) {

		/** Whether its objects are shared out among shards. */
		boolean sharded() {
			return this.ring != null;
		}

		/** The classes of the main and of the controlled resources. */
		Set<Class<? extends HasMetadata>> types() {
			Set<Class<? extends HasMetadata>> types = new LinkedHashSet<>();
			types.add(this.mainType);
			types.addAll(this.owns);
			return types;
		}

	}

	private ControllerBeans() {
	}

	/**
	 * Finds the definitions.
	 * @param factory where to look
	 * @param rings the rings that are configured
	 * @return the definitions in the order of registration
	 * @throws ShardingStartupException if one of them names no main resource, a class
	 * that is no resource, or a ring that is not configured
	 */
	static List<Declared> find(ConfigurableListableBeanFactory factory, RingNames rings) {
		List<Declared> found = new ArrayList<>();
		for (String definition : factory.getBeanDefinitionNames()) {
			if (factory.containsBeanDefinition(ScopedProxyUtils.getTargetBeanName(definition))) {
				// Its target, which is defined as well, says the same.
				continue;
			}
			ShardedController sharded = factory.findAnnotationOnBean(definition, ShardedController.class, false);
			LeaderElectedController leaderElected = factory.findAnnotationOnBean(definition,
					LeaderElectedController.class, false);
			String name = ScopedProxyUtils.isScopedTarget(definition) ? ScopedProxyUtils.getOriginalBeanName(definition)
					: definition;
			if (sharded != null) {
				found.add(new Declared(name, rings.of(name, sharded.ring()), mainType(factory, definition),
						List.of(sharded.owns()), sharded.specChangesOnly(), sharded.concurrency()));
			}
			else if (leaderElected != null) {
				found.add(new Declared(name, null, mainType(factory, definition), List.of(leaderElected.owns()),
						leaderElected.specChangesOnly(), leaderElected.concurrency()));
			}
		}
		found.forEach((declared) -> declared.types().forEach((type) -> requireResource(declared.beanName(), type)));
		return found;
	}

	/* At once, as the class would else fail where nobody knows whose it is. */
	private static void requireResource(String bean, Class<? extends HasMetadata> type) {
		boolean general = type == HasMetadata.class || type == GenericKubernetesResource.class
				|| type == PartialObjectMetadata.class;
		RuntimeException failure = null;
		if (!general) {
			try {
				ResourceType.of(type);
				// Without annotations there is a resource, of no version.
				if (HasMetadata.getVersion(type) != null) {
					return;
				}
			}
			catch (RuntimeException ex) {
				failure = ex;
			}
		}
		throw new ShardingStartupException(
				"Bean '%s' is a controller that declares %s, which names no resource%s".formatted(bean, type.getName(),
						(failure != null) ? ": " + failure.getMessage() : ""),
				general ? "For a resource without a class, define a bean of type ControllerSpec instead, or add the"
						+ " resource in a ControllerCustomizer."
						: "Annotate the class of a custom resource with @Group and @Version of fabric8; for a resource"
								+ " without a class, define a bean of type ControllerSpec instead.",
				failure);
	}

	/**
	 * Whether a controller wants to be in the ring of the application, or there is a
	 * shard of the user for it, whose work may be a loop of its own.
	 */
	static boolean needMainRing(ConfigurableListableBeanFactory factory, RingNames rings) {
		for (String name : factory.getBeanNamesForType(Shard.class, true, false)) {
			if (OnMissingMainBeanCondition.isCandidate(factory, name)
					&& FurtherRings.ringOf(factory, name, rings) == null) {
				return true;
			}
		}
		for (String name : factory.getBeanDefinitionNames()) {
			ShardedController sharded = factory.findAnnotationOnBean(name, ShardedController.class, false);
			if (sharded != null && sharded.ring().isEmpty()) {
				return true;
			}
		}
		for (String name : factory.getBeanNamesForType(ControllerSpec.class, false, false)) {
			if (factory.findAnnotationOnBean(name, Qualifier.class, false) == null) {
				return true;
			}
		}
		return false;
	}

	@SuppressWarnings("unchecked")
	private static Class<? extends HasMetadata> mainType(ConfigurableListableBeanFactory factory, String name) {
		Class<?> type = declaredType(factory, name).as(Reconciler.class).getGeneric(0).resolve();
		if (type == null) {
			Class<?> beanType = factory.getType(name, false);
			type = (beanType != null) ? ResolvableType.forClass(beanType).as(Reconciler.class).getGeneric(0).resolve()
					: null;
		}
		if (type == null || type == HasMetadata.class || type == GenericKubernetesResource.class
				|| !HasMetadata.class.isAssignableFrom(type)) {
			throw new ShardingStartupException(
					"Bean '%s' is annotated as a controller, but it is no Reconciler of a known resource"
						.formatted(name),
					"Have it implement Reconciler with the class of the main resource as type argument; for a custom"
							+ " resource without a class, define a bean of type ControllerSpec instead.",
					null);
		}
		return (Class<? extends HasMetadata>) type;
	}

	private static ResolvableType declaredType(ConfigurableListableBeanFactory factory, String name) {
		@Nullable BeanDefinition definition = factory.getMergedBeanDefinition(name);
		return (definition instanceof RootBeanDefinition root) ? root.getResolvableType() : ResolvableType.NONE;
	}

}
