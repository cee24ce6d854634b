package dev.sharding.autoconfigure;

import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.informer.InformerStatus;

/**
 * The meters of informers, tagged with the resource.
 */
final class InformerMetrics {

	private static final String PREFIX = "sharding.informer.";

	private final MeterRegistry registry;

	InformerMetrics(MeterRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Registers the meters of the informers that there are now.
	 * @param informers reads the status of each by its name
	 */
	void bind(Supplier<Map<String, InformerStatus>> informers) {
		for (String resource : informers.get().keySet()) {
			Supplier<@Nullable InformerStatus> status = () -> informers.get().get(resource);
			gauge(status, resource, "objects", "Objects in the store", InformerStatus::objects);
			gauge(status, resource, "failing", "1 while lists or watches fail",
					(current) -> (current.failingSince() != null) ? 1 : 0);
			gauge(status, resource, "undecodable", "Objects that do not fit their class", InformerStatus::undecodable);
			FunctionCounter.builder(PREFIX + "relists", status, (current) -> value(current, InformerStatus::relists))
				.description("Lists of the whole scope")
				.tags(Tags.of("resource", resource))
				.register(this.registry);
		}
	}

	private void gauge(Supplier<@Nullable InformerStatus> status, String resource, String name, String description,
			ToDoubleFunction<InformerStatus> value) {
		Gauge.builder(PREFIX + name, () -> value(status, value))
			.description(description)
			.tags(Tags.of("resource", resource))
			.strongReference(true)
			.register(this.registry);
	}

	private static double value(Supplier<@Nullable InformerStatus> status, ToDoubleFunction<InformerStatus> value) {
		InformerStatus current = status.get();
		return (current != null) ? value.applyAsDouble(current) : Double.NaN;
	}

}
