package dev.sharding.internal.autoconfigure.runtime;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.sharding.controller.Backoff;
import dev.sharding.controller.Cleaner;
import dev.sharding.controller.ControllerCustomizer;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.EventFilter;
import dev.sharding.controller.Reconciler;
import dev.sharding.internal.autoconfigure.settings.RingNames;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties;
import dev.sharding.internal.autoconfigure.settings.ShardingStartupException;
import dev.sharding.resource.ResourceType;

/**
 * The controllers of all rings and of none, each made once. All together, as no two may
 * have one name: their meters would become one, and {@code sharding.enabled=false} puts
 * all of them into one place.
 */
public final class MadeControllers {

	private final ConfigurableListableBeanFactory factory;

	private final RingNames rings;

	private final ShardingProperties.Reconcile properties;

	private @Nullable Map<String, ControllerSpec<?>> made;

	public MadeControllers(ConfigurableListableBeanFactory factory, RingNames rings,
			ShardingProperties.Reconcile properties) {
		this.factory = factory;
		this.rings = rings;
		this.properties = properties;
	}

	/**
	 * The controllers by the names of their beans, those of annotated beans first.
	 * @return the controllers
	 * @throws ShardingStartupException if two of them have one name, or one finalizer for
	 * one resource
	 */
	synchronized Map<String, ControllerSpec<?>> all() {
		if (this.made == null) {
			Map<String, ControllerSpec<?>> specs = new LinkedHashMap<>();
			for (ControllerBeans.Declared declared : ControllerBeans.find(this.factory, this.rings)) {
				specs.put(declared.beanName(), spec(declared, declared.mainType()));
			}
			this.factory.getBeansOfType(ControllerSpec.class).forEach(specs::put);
			requireDistinctNames(specs);
			requireDistinctFinalizers(specs);
			this.made = specs;
		}
		return this.made;
	}

	private static void requireDistinctNames(Map<String, ControllerSpec<?>> specs) {
		Map<String, String> beans = new HashMap<>();
		specs.forEach((bean, spec) -> {
			String other = beans.putIfAbsent(spec.name(), bean);
			if (other != null) {
				throw new ShardingStartupException(
						"The beans '%s' and '%s' are controllers of the same name, '%s'".formatted(other, bean,
								spec.name()),
						"Give one of them another name, with .named(\"…\") where its ControllerSpec is built or in its"
								+ " ControllerCustomizer. Unless set, the name of a ControllerSpec is the kind of its"
								+ " main resource in lower case; it must be unique over all rings.",
						null);
			}
		});
	}

	/*
	 * Several controllers may share a main resource. With one finalizer, the first that
	 * is done with its clean-up would let the object go before the others are.
	 */
	private static void requireDistinctFinalizers(Map<String, ControllerSpec<?>> specs) {
		Map<String, String> beans = new HashMap<>();
		specs.forEach((bean, spec) -> {
			if (spec.cleanUp() == null) {
				return;
			}
			String finalizer = Customizers.ask(Cleaner.class, bean, spec.cleanUp()::finalizer);
			String other = beans.putIfAbsent(spec.type().groupResource() + " " + finalizer, bean);
			if (other != null) {
				throw new ShardingStartupException(
						"The beans '%s' and '%s' are controllers of one resource, %s, with one finalizer, '%s'"
							.formatted(other, bean, spec.type(), finalizer),
						"Give one of them another finalizer, or make one controller of them. With one finalizer, the"
								+ " first that has cleaned up lets the object go before the other has.",
						null);
			}
		});
	}

	@SuppressWarnings("unchecked")
	private <T extends HasMetadata> ControllerSpec<T> spec(ControllerBeans.Declared declared, Class<T> mainType) {
		Reconciler<T> reconciler = (Reconciler<T>) this.factory.getBean(declared.beanName());
		ControllerSpec.Builder<T> builder = ControllerSpec.of(ResourceType.of(mainType), reconciler)
			.named(declared.beanName())
			.concurrency((declared.concurrency() > 0) ? declared.concurrency() : this.properties.concurrency())
			.backoff(new Backoff(this.properties.minBackoff(), this.properties.maxBackoff(), Backoff.DEFAULT.jitter()))
			.resync(positive(this.properties.resyncPeriod()));
		for (Class<? extends HasMetadata> owned : declared.owns()) {
			builder.owns(ResourceType.of(owned));
		}
		if (declared.specChangesOnly()) {
			builder.filter(EventFilter.generationChanged());
		}
		if (reconciler instanceof ControllerCustomizer<?> customizer) {
			return Customizers.ask(ControllerCustomizer.class, declared.beanName(), () -> {
				((ControllerCustomizer<T>) customizer).customize(builder);
				return builder.build();
			});
		}
		return builder.build();
	}

	private static @Nullable Duration positive(Duration period) {
		return period.isZero() ? null : period;
	}

}
