package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.sharding.kubernetes.reconcile.Backoff;
import dev.sharding.kubernetes.reconcile.ControllerSpec;
import dev.sharding.kubernetes.reconcile.EventFilter;
import dev.sharding.kubernetes.reconcile.Reconciler;
import dev.sharding.kubernetes.resource.ResourceType;

/**
 * Makes controllers of beans: of those annotated with {@link ShardedController} or
 * {@link PlainController}, and of those that are a {@link ControllerSpec} already, which
 * are sharded, in the ring that a {@link Qualifier} on them names.
 */
final class ControllerSpecs {

	private final ConfigurableListableBeanFactory factory;

	private final RingNames rings;

	private final ShardingProperties.Reconcile properties;

	ControllerSpecs(ConfigurableListableBeanFactory factory, RingNames rings, ShardingProperties.Reconcile properties) {
		this.factory = factory;
		this.rings = rings;
		this.properties = properties;
	}

	/** The controllers outside any ring. */
	List<ControllerSpec<?>> plain() {
		return of(null);
	}

	/** The controllers of a ring. */
	List<ControllerSpec<?>> sharded(String ring) {
		return of(ring);
	}

	private List<ControllerSpec<?>> of(@Nullable String ring) {
		List<ControllerSpec<?>> specs = new ArrayList<>();
		for (ControllerBeans.Declared declared : ControllerBeans.find(this.factory, this.rings)) {
			if (Objects.equals(declared.ring(), ring)) {
				specs.add(spec(declared, declared.mainType()));
			}
		}
		this.factory.getBeansOfType(ControllerSpec.class).forEach((name, spec) -> {
			Qualifier qualifier = this.factory.findAnnotationOnBean(name, Qualifier.class);
			if (Objects.equals(this.rings.of(name, (qualifier != null) ? qualifier.value() : ""), ring)) {
				specs.add(spec);
			}
		});
		return specs;
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
			((ControllerCustomizer<T>) customizer).customize(builder);
		}
		return builder.build();
	}

	private static @Nullable Duration positive(Duration period) {
		return period.isZero() ? null : period;
	}

}
