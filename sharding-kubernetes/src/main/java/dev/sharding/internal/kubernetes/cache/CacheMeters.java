package dev.sharding.internal.kubernetes.cache;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.overlay.OverlayStatus;
import dev.sharding.internal.kubernetes.cache.check.InformerKey;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.informer.InformerStatus;

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

	/** The stores of these meters; those of a ring change with the name of the shard. */
	private final Map<InformerKey, OverlaidStore<?>> current = new ConcurrentHashMap<>();

	/**
	 * Creates it without meters.
	 * @param registry where to register them
	 * @param ring the name of the ring, or empty
	 */
	CacheMeters(MeterRegistry registry, String ring) {
		this.registry = registry;
		this.ring = tag(ring);
	}

	/** What meters call a ring, and what is outside any. */
	static String tag(String ring) {
		return ring.isEmpty() ? NO_RING : ring;
	}

	/** Registers the meters of those that have none yet. */
	void bind(Map<InformerKey, OverlaidStore<?>> stores) {
		this.current.keySet().retainAll(stores.keySet());
		this.current.putAll(stores);
		stores.forEach((key, store) -> {
			if (!this.bound.contains(key)) {
				bind(Tags.of("ring", this.ring, "resource", key.toString()), key);
				this.bound.add(key);
			}
		});
	}

	boolean areBound(Map<InformerKey, OverlaidStore<?>> stores) {
		return this.bound.containsAll(stores.keySet()) && this.current.equals(stores);
	}

	private void bind(Tags tags, InformerKey key) {
		gauge(key, tags, "sharding.informer.objects", "Objects in the store", InformerStatus::objects);
		gauge(key, tags, "sharding.informer.failing", "1 while lists or watches fail",
				(status) -> (status.failingSince() != null) ? 1 : 0);
		gauge(key, tags, "sharding.informer.undecodable", "Objects that do not fit their class",
				InformerStatus::undecodable);
		gauge(key, tags, "sharding.informer.unindexed", "Objects that an index function failed for",
				InformerStatus::unindexed);
		FunctionCounter.builder("sharding.informer.relists", this, (self) -> self.of(key, InformerStatus::relists))
			.description("Lists of the whole scope")
			.tags(tags)
			.register(this.registry);
		gauge(key, tags, "sharding.overlay.entries", null, "Own writes that readers are shown before the watch",
				OverlayStatus::entries);
		gauge(key, tags, "sharding.overlay.held.events", null, "Events held until it is known who made them",
				OverlayStatus::held);
		gauge(key, tags, "sharding.overlay.oldest", "seconds", "Age of the oldest own write that is still tracked",
				(status) -> status.oldestNanos() / 1e9);
	}

	private double of(InformerKey key, ToDoubleFunction<InformerStatus> value) {
		OverlaidStore<?> store = this.current.get(key);
		return (store != null) ? value.applyAsDouble(store.informer().status()) : 0;
	}

	private double overlay(InformerKey key, ToDoubleFunction<OverlayStatus> value) {
		OverlaidStore<?> store = this.current.get(key);
		return (store != null) ? value.applyAsDouble(store.overlay().status()) : 0;
	}

	private void gauge(InformerKey key, Tags tags, String name, String description,
			ToDoubleFunction<InformerStatus> value) {
		Gauge.builder(name, () -> of(key, value))
			.description(description)
			.tags(tags)
			.strongReference(true)
			.register(this.registry);
	}

	private void gauge(InformerKey key, Tags tags, String name, @Nullable String unit, String description,
			ToDoubleFunction<OverlayStatus> value) {
		Gauge.builder(name, () -> overlay(key, value))
			.description(description)
			.baseUnit(unit)
			.tags(tags)
			.strongReference(true)
			.register(this.registry);
	}

}
