package dev.sharding.autoconfigure;

import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

import dev.sharding.core.overlay.OverlayStatus;
import dev.sharding.kubernetes.informer.InformerStatus;

/**
 * The meters of informers, and of the own writes on top of them, tagged with the
 * resource.
 */
final class InformerMetrics {

	private static final String PREFIX = "sharding.informer.";

	private static final String OVERLAY_PREFIX = "sharding.overlay.";

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

	/**
	 * Registers the meters of own writes.
	 * @param overlays reads the status of each cache by its name
	 */
	void bindOverlays(Supplier<Map<String, OverlayStatus>> overlays) {
		for (String resource : overlays.get().keySet()) {
			overlayGauge(overlays, resource, "entries", null, "Own writes that readers are shown before the watch",
					OverlayStatus::entries);
			overlayGauge(overlays, resource, "held.events", null, "Events held until it is known who made them",
					OverlayStatus::held);
			overlayGauge(overlays, resource, "oldest", "seconds", "Age of the oldest own write that is still tracked",
					(status) -> status.oldestNanos() / 1e9);
		}
	}

	private void overlayGauge(Supplier<Map<String, OverlayStatus>> overlays, String resource, String name,
			@Nullable String unit, String description, ToDoubleFunction<OverlayStatus> value) {
		Gauge.builder(OVERLAY_PREFIX + name, () -> {
			OverlayStatus status = overlays.get().get(resource);
			return (status != null) ? value.applyAsDouble(status) : Double.NaN;
		})
			.description(description)
			.baseUnit(unit)
			.tags(Tags.of("resource", resource))
			.strongReference(true)
			.register(this.registry);
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
