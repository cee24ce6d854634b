package dev.sharding.kubernetes.cache;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

import dev.sharding.core.overlay.OverlayStatus;
import dev.sharding.kubernetes.informer.Informer;
import dev.sharding.kubernetes.informer.InformerStatus;

/**
 * The meters of informers, and of the own writes on top of them, tagged with the ring and
 * the resource.
 */
final class CacheMeters {

	/** The tag outside any ring: no ring can have this name. */
	private static final String NO_RING = "noRing";

	private final MeterRegistry registry;

	private final String ring;

	private final Set<InformerKey> bound = ConcurrentHashMap.newKeySet();

	/**
	 * Creates it without meters.
	 * @param registry where to register them
	 * @param ring the name of the ring, or empty
	 */
	CacheMeters(MeterRegistry registry, String ring) {
		this.registry = registry;
		this.ring = ring.isEmpty() ? NO_RING : ring;
	}

	/** Registers the meters of those that have none yet. */
	void bind(Map<InformerKey, OverlaidStore<?>> stores) {
		stores.forEach((key, store) -> {
			if (!this.bound.contains(key)) {
				bind(Tags.of("ring", this.ring, "resource", key.toString()), store);
				this.bound.add(key);
			}
		});
	}

	boolean areBound(Map<InformerKey, OverlaidStore<?>> stores) {
		return this.bound.containsAll(stores.keySet());
	}

	private void bind(Tags tags, OverlaidStore<?> store) {
		Informer<?> informer = store.informer();
		gauge(informer, tags, "sharding.informer.objects", "Objects in the store", InformerStatus::objects);
		gauge(informer, tags, "sharding.informer.failing", "1 while lists or watches fail",
				(status) -> (status.failingSince() != null) ? 1 : 0);
		gauge(informer, tags, "sharding.informer.undecodable", "Objects that do not fit their class",
				InformerStatus::undecodable);
		gauge(informer, tags, "sharding.informer.unindexed", "Objects that an index function failed for",
				InformerStatus::unindexed);
		FunctionCounter.builder("sharding.informer.relists", informer, (current) -> current.status().relists())
			.description("Lists of the whole scope")
			.tags(tags)
			.register(this.registry);
		gauge(store.overlay(), tags, "sharding.overlay.entries", null,
				"Own writes that readers are shown before the watch", OverlayStatus::entries);
		gauge(store.overlay(), tags, "sharding.overlay.held.events", null,
				"Events held until it is known who made them", OverlayStatus::held);
		gauge(store.overlay(), tags, "sharding.overlay.oldest", "seconds",
				"Age of the oldest own write that is still tracked", (status) -> status.oldestNanos() / 1e9);
	}

	private void gauge(Informer<?> informer, Tags tags, String name, String description,
			ToDoubleFunction<InformerStatus> value) {
		Gauge.builder(name, () -> value.applyAsDouble(informer.status()))
			.description(description)
			.tags(tags)
			.strongReference(true)
			.register(this.registry);
	}

	private void gauge(CacheOverlay<?> overlay, Tags tags, String name, @Nullable String unit, String description,
			ToDoubleFunction<OverlayStatus> value) {
		Gauge.builder(name, () -> value.applyAsDouble(overlay.status()))
			.description(description)
			.baseUnit(unit)
			.tags(tags)
			.strongReference(true)
			.register(this.registry);
	}

}
