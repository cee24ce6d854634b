package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.sharding.kubernetes.reconcile.Backoff;
import dev.sharding.kubernetes.reconcile.ControllerSpec;
import dev.sharding.kubernetes.reconcile.EventFilter;
import dev.sharding.kubernetes.reconcile.Reconciler;
import dev.sharding.kubernetes.resource.ResourceType;

/**
 * Makes controllers of beans: of those annotated with {@link ShardedController}, and of
 * those that are a {@link ControllerSpec} already.
 */
final class ControllerSpecs {

	private final ConfigurableListableBeanFactory factory;

	private final ShardingProperties.Reconcile properties;

	ControllerSpecs(ConfigurableListableBeanFactory factory, ShardingProperties.Reconcile properties) {
		this.factory = factory;
		this.properties = properties;
	}

	List<ControllerSpec<?>> all() {
		List<ControllerSpec<?>> specs = new ArrayList<>();
		for (ControllerBeans.Declared declared : ControllerBeans.find(this.factory)) {
			specs.add(spec(declared, declared.mainType()));
		}
		this.factory.getBeansOfType(ControllerSpec.class).values().forEach(specs::add);
		return specs;
	}

	@SuppressWarnings("unchecked")
	private <T extends HasMetadata> ControllerSpec<T> spec(ControllerBeans.Declared declared, Class<T> mainType) {
		ShardedController annotation = declared.annotation();
		Reconciler<T> reconciler = (Reconciler<T>) this.factory.getBean(declared.beanName());
		ControllerSpec.Builder<T> builder = ControllerSpec.of(ResourceType.of(mainType), reconciler)
			.named(declared.beanName())
			.concurrency((annotation.concurrency() > 0) ? annotation.concurrency() : this.properties.concurrency())
			.backoff(new Backoff(this.properties.minBackoff(), this.properties.maxBackoff(), Backoff.DEFAULT.jitter()))
			.resync(positive(this.properties.resyncPeriod()));
		for (Class<? extends HasMetadata> owned : annotation.owns()) {
			builder.owns(ResourceType.of(owned));
		}
		if (annotation.specChangesOnly()) {
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
