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
 * Makes controllers of beans: of those annotated with {@link ShardedController} or
 * {@link PlainController}, and of those that are a {@link ControllerSpec} already, which
 * are sharded.
 */
final class ControllerSpecs {

	private final ConfigurableListableBeanFactory factory;

	private final ShardingProperties.Reconcile properties;

	ControllerSpecs(ConfigurableListableBeanFactory factory, ShardingProperties.Reconcile properties) {
		this.factory = factory;
		this.properties = properties;
	}

	/** The controllers outside any ring. */
	List<ControllerSpec<?>> plain() {
		return declared(false);
	}

	/** The controllers of the shard. */
	List<ControllerSpec<?>> sharded() {
		List<ControllerSpec<?>> specs = declared(true);
		this.factory.getBeansOfType(ControllerSpec.class).values().forEach(specs::add);
		return specs;
	}

	private List<ControllerSpec<?>> declared(boolean sharded) {
		List<ControllerSpec<?>> specs = new ArrayList<>();
		for (ControllerBeans.Declared declared : ControllerBeans.find(this.factory)) {
			if (declared.sharded() == sharded) {
				specs.add(spec(declared, declared.mainType()));
			}
		}
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
