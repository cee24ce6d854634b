package dev.sharding.kubernetes.cache;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import dev.sharding.kubernetes.informer.StoreView;
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

	private final LongSupplier nanos;

	private final Map<InformerKey, Mark> marks = new ConcurrentHashMap<>();

	WatermarkAges(MeterRegistry meters, LongSupplier nanos) {
		this.meters = meters;
		this.nanos = nanos;
	}

	/** Looks at the watermarks; to be called about once a second. */
	void tick(Map<InformerKey, ? extends StoreView<?>> stores) {
		stores.forEach((key, store) -> {
			String watermark = store.watermark();
			Mark mark = this.marks.get(key);
			if (mark == null) {
				Gauge.builder("sharding.cache.watermark.age", () -> seconds(key))
					.description("Since the cache last learnt how far it is")
					.baseUnit("seconds")
					.tags("resource", key.toString())
					.strongReference(true)
					.register(this.meters);
			}
			if (mark == null || !Objects.equals(mark.version, watermark)) {
				this.marks.put(key, new Mark(watermark, this.nanos.getAsLong()));
			}
		});
	}

	private double seconds(InformerKey key) {
		Mark mark = this.marks.get(key);
		return (mark != null) ? (this.nanos.getAsLong() - mark.since) / 1e9 : Double.NaN;
	}

	private record Mark(@Nullable String version, long since) {
	}

}
