package dev.sharding.internal.kubernetes.cache;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import dev.sharding.internal.kubernetes.cache.check.InformerKey;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Since when the watermark of each cache has not moved. That grows while nothing happens
 * in the scope, by about a minute until the next bookmark, and without a bound while a
 * watch is stuck.
 */
final class WatermarkAges {

	private final MeterRegistry meters;

	private final String ring;

	private final LongSupplier nanos;

	private final Map<InformerKey, Mark> marks = new ConcurrentHashMap<>();

	/** The stores of these meters; those of a ring change with the name of the shard. */
	private final Map<InformerKey, StoreView<?>> current = new ConcurrentHashMap<>();

	WatermarkAges(MeterRegistry meters, String ring, LongSupplier nanos) {
		this.meters = meters;
		this.ring = CacheMeters.tag(ring);
		this.nanos = nanos;
	}

	/** Registers the meters of those that have none yet. */
	void bind(Map<InformerKey, ? extends StoreView<?>> stores) {
		this.current.keySet().retainAll(stores.keySet());
		this.current.putAll(stores);
		stores.forEach((key, store) -> {
			if (!this.marks.containsKey(key)) {
				Gauge.builder("sharding.cache.watermark.age", () -> seconds(key))
					.description("Since the cache last learnt how far it is")
					.baseUnit("seconds")
					.tags("ring", this.ring, "resource", key.toString())
					.strongReference(true)
					.register(this.meters);
				look(key, store);
			}
		});
	}

	boolean areBound(Map<InformerKey, ? extends StoreView<?>> stores) {
		return this.current.keySet().equals(stores.keySet())
				&& stores.entrySet().stream().allMatch((entry) -> this.current.get(entry.getKey()) == entry.getValue());
	}

	/** The watermark of one of them may have moved. */
	void moved(InformerKey key, StoreView<?> store) {
		if (this.marks.containsKey(key)) {
			look(key, store);
		}
	}

	private Mark look(InformerKey key, StoreView<?> store) {
		// In this order: a watermark that is older than the mark would begin it anew.
		Mark mark = this.marks.get(key);
		String watermark = store.watermark();
		if (mark == null || !Objects.equals(mark.version, watermark)) {
			Mark next = new Mark(watermark, this.nanos.getAsLong());
			// Unless somebody was faster, who may have seen more.
			if ((mark != null) ? this.marks.replace(key, mark, next) : this.marks.putIfAbsent(key, next) == null) {
				return next;
			}
			return Objects.requireNonNull(this.marks.get(key));
		}
		return mark;
	}

	private double seconds(InformerKey key) {
		StoreView<?> store = this.current.get(key);
		if (store == null) {
			return Double.NaN;
		}
		Mark mark = look(key, store);
		return (this.nanos.getAsLong() - mark.since) / 1e9;
	}

	private record Mark(@Nullable String version, long since) {
	}

}
