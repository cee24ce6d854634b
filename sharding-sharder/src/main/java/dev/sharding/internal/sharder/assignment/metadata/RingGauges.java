package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;

/**
 * What goes on in a ring right now. The gauges are gone when nobody here works on the
 * ring any more: a value that nobody keeps up to date misleads.
 */
public final class RingGauges implements AutoCloseable {

	private final MeterRegistry registry;

	private final Tags ring;

	private final LongSupplier nanoTime;

	private final List<Meter> gauges = new ArrayList<>();

	private final AtomicInteger stuckDrains = new AtomicInteger();

	private final AtomicInteger stuckHandOvers = new AtomicInteger();

	/* Before the first success: since when there has been none. */
	private final AtomicLong lastSuccess;

	RingGauges(MeterRegistry registry, String ring, LongSupplier nanoTime) {
		this.registry = registry;
		this.ring = Tags.of("controllerring", ring);
		this.nanoTime = nanoTime;
		this.lastSuccess = new AtomicLong(nanoTime.getAsLong());
		gauge("controller.sharding.drains.stuck", this.ring, this.stuckDrains::get);
		gauge("controller.sharding.handovers.stuck", this.ring, this.stuckHandOvers::get);
		leave("controller.sharding.resync.age", this.ring);
		this.gauges.add(TimeGauge.builder("controller.sharding.resync.age", this::sinceLastSuccess, TimeUnit.SECONDS)
			.tags(this.ring)
			.strongReference(true)
			.register(registry));
	}

	public void stuck(int drains, int handOvers) {
		this.stuckDrains.set(drains);
		this.stuckHandOvers.set(handOvers);
	}

	/** Shows how much there is to do, read at each scrape. */
	public void backlog(String kind, Supplier<Number> size) {
		gauge("controller.sharding.backlog", this.ring.and("kind", kind), size);
	}

	/** Shows how many objects could not be placed, read at each scrape. */
	public void failing(Supplier<Number> objects) {
		gauge("controller.sharding.objects.failing", this.ring, objects);
	}

	public void resynced() {
		this.lastSuccess.set(this.nanoTime.getAsLong());
	}

	private double sinceLastSuccess() {
		return Duration.ofNanos(this.nanoTime.getAsLong() - this.lastSuccess.get()).toMillis() / 1000.0;
	}

	private void gauge(String name, Tags tags, Supplier<Number> value) {
		leave(name, tags);
		this.gauges.add(Gauge.builder(name, value).tags(tags).strongReference(true).register(this.registry));
	}

	/* A sharder of this process that hung when it was stopped may have left one. */
	private void leave(String name, Tags tags) {
		this.registry.find(name).tags(tags).meters().forEach(this.registry::remove);
	}

	/* Not those that another one has registered in place of ours. */
	@Override
	public void close() {
		for (Meter gauge : this.gauges) {
			Meter.Id id = gauge.getId();
			this.registry.find(id.getName())
				.tags(id.getTags())
				.meters()
				.stream()
				.filter((found) -> found == gauge)
				.forEach(this.registry::remove);
		}
	}

}
