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
import dev.sharding.kubernetes.reconcile.ReconcileContext;

/**
 * The meters of informers, and of the own writes on top of them, tagged with the ring and
 * the resource.
 */
final class InformerMetrics {

	private final MeterRegistry registry;

	private final String ring;

	/**
	 * Creates the meters of a group of controllers.
	 * @param registry where to register them
	 * @param ring the name of its ring, or {@link ReconcileContext#NO_RING}
	 */
	InformerMetrics(MeterRegistry registry, String ring) {
		this.registry = registry;
		this.ring = ring;
	}

	/**
	 * Registers the meters of the informers that there are now.
	 * @param informers reads the status of each by its name
	 */
	void bind(Supplier<Map<String, InformerStatus>> informers) {
		for (String resource : informers.get().keySet()) {
			Supplier<@Nullable InformerStatus> status = () -> informers.get().get(resource);
			gauge(status, resource, "sharding.informer.objects", "Objects in the store", InformerStatus::objects);
			gauge(status, resource, "sharding.informer.failing", "1 while lists or watches fail",
					(current) -> (current.failingSince() != null) ? 1 : 0);
			gauge(status, resource, "sharding.informer.undecodable", "Objects that do not fit their class",
					InformerStatus::undecodable);
			gauge(status, resource, "sharding.informer.unindexed", "Objects that an index function failed for",
					InformerStatus::unindexed);
			FunctionCounter
				.builder("sharding.informer.relists", status, (current) -> value(current, InformerStatus::relists))
				.description("Lists of the whole scope")
				.tags(Tags.of("ring", this.ring, "resource", resource))
				.register(this.registry);
		}
	}

	/**
	 * Registers the meters of own writes.
	 * @param overlays reads the status of each cache by its name
	 */
	void bindOverlays(Supplier<Map<String, OverlayStatus>> overlays) {
		for (String resource : overlays.get().keySet()) {
			overlayGauge(overlays, resource, "sharding.overlay.entries", null,
					"Own writes that readers are shown before the watch", OverlayStatus::entries);
			overlayGauge(overlays, resource, "sharding.overlay.held.events", null,
					"Events held until it is known who made them", OverlayStatus::held);
			overlayGauge(overlays, resource, "sharding.overlay.oldest", "seconds",
					"Age of the oldest own write that is still tracked", (status) -> status.oldestNanos() / 1e9);
		}
	}

	private void overlayGauge(Supplier<Map<String, OverlayStatus>> overlays, String resource, String name,
			@Nullable String unit, String description, ToDoubleFunction<OverlayStatus> value) {
		Gauge.builder(name, () -> {
			OverlayStatus status = overlays.get().get(resource);
			return (status != null) ? value.applyAsDouble(status) : Double.NaN;
		})
			.description(description)
			.baseUnit(unit)
			.tags(Tags.of("ring", this.ring, "resource", resource))
			.strongReference(true)
			.register(this.registry);
	}

	private void gauge(Supplier<@Nullable InformerStatus> status, String resource, String name, String description,
			ToDoubleFunction<InformerStatus> value) {
		Gauge.builder(name, () -> value(status, value))
			.description(description)
			.tags(Tags.of("ring", this.ring, "resource", resource))
			.strongReference(true)
			.register(this.registry);
	}

	private static double value(Supplier<@Nullable InformerStatus> status, ToDoubleFunction<InformerStatus> value) {
		InformerStatus current = status.get();
		return (current != null) ? value.applyAsDouble(current) : Double.NaN;
	}

}
