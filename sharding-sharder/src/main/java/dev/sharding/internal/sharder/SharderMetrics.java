package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.sharder.memory.MemoryPressure;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.shardlease.LeaseMembership;
import dev.sharding.internal.sharder.shardlease.LeaseTrust;
import dev.sharding.internal.sharder.shardlease.Membership;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of rings and shards (protocol section 7.1), read from what is watched anyway.
 */
final class SharderMetrics implements AutoCloseable {

	/* Rows are made in the background, so that a scrape costs nothing. */
	static final Duration REFRESH = Duration.ofSeconds(5);

	private static final String PREFIX = "controller.sharding.";

	private static final List<String> STATUSES = List.of("True", "False", "Unknown");

	private final Map<MultiGauge, Function<ControllerRing, @Nullable Number>> ringGauges = new LinkedHashMap<>();

	private final Map<MultiGauge, List<Reading>> shown = new ConcurrentHashMap<>();

	private final MultiGauge condition;

	private final MultiGauge shardInfo;

	private final MultiGauge shardState;

	private final MultiGauge shardCordoned;

	private final MultiGauge givenBack;

	private final MultiGauge settling;

	private final Supplier<? extends Collection<ControllerRing>> rings;

	private final Supplier<? extends Collection<Lease>> leases;

	private final LeaseTrust trust;

	private final InstantSource clock;

	private final MeterRegistry registry;

	private final List<Meter> memoryGauges;

	SharderMetrics(MeterRegistry registry, Supplier<? extends Collection<ControllerRing>> rings,
			Supplier<? extends Collection<Lease>> leases, LeaseTrust trust, InstantSource clock,
			MemoryPressure memory) {
		this.registry = registry;
		this.rings = rings;
		this.leases = leases;
		this.trust = trust;
		this.clock = clock;
		ring(registry, "metadata.generation", (ring) -> ring.getMetadata().getGeneration());
		ring(registry, "observed.generation",
				(ring) -> (ring.getStatus() != null) ? ring.getStatus().observedGeneration() : null);
		ring(registry, "status.shards", (ring) -> (ring.getStatus() != null) ? ring.getStatus().shards() : null);
		ring(registry, "status.available.shards",
				(ring) -> (ring.getStatus() != null) ? ring.getStatus().availableShards() : null);
		this.condition = MultiGauge.builder(PREFIX + "controllerring.condition").register(registry);
		this.shardInfo = MultiGauge.builder(PREFIX + "shard.info").register(registry);
		this.shardState = MultiGauge.builder(PREFIX + "shard.state").register(registry);
		this.shardCordoned = MultiGauge.builder(PREFIX + "shard.cordoned").register(registry);
		this.givenBack = MultiGauge.builder(PREFIX + "controllerring.shards.given.back").register(registry);
		this.settling = MultiGauge.builder(PREFIX + "controllerring.shards.settling").register(registry);
		this.memoryGauges = List.of(gauge("memory.live", memory::share),
				gauge("memory.short", () -> memory.state().isShort() ? 1 : 0));
	}

	/* A sharder of this process that hung when it was stopped may have left one. */
	private Meter gauge(String name, Supplier<Number> value) {
		this.registry.find(PREFIX + name).meters().forEach(this.registry::remove);
		return Gauge.builder(PREFIX + name, value).strongReference(true).register(this.registry);
	}

	private void ring(MeterRegistry registry, String name, Function<ControllerRing, @Nullable Number> value) {
		this.ringGauges.put(MultiGauge.builder(PREFIX + "controllerring." + name).register(registry), value);
	}

	void refresh() {
		Collection<ControllerRing> seen = this.rings.get();
		this.ringGauges.forEach((gauge, value) -> {
			List<Reading> rows = new ArrayList<>();
			for (ControllerRing ring : seen) {
				Number number = value.apply(ring);
				if (number != null) {
					rows.add(new Reading(
							Tags.of("controllerring", ring.getMetadata().getName(), "uid", ring.getMetadata().getUid()),
							number));
				}
			}
			show(gauge, rows);
		});
		show(this.condition, conditions(seen));
		List<Reading> info = new ArrayList<>();
		List<Reading> states = new ArrayList<>();
		List<Reading> cordoned = new ArrayList<>();
		Map<String, List<Lease>> byRing = byRing();
		for (Lease lease : shards(seen, byRing)) {
			ObjectMeta metadata = lease.getMetadata();
			Map<String, String> labels = metadata.getLabels();
			Tags shard = Tags.of("namespace", metadata.getNamespace(), "shard", metadata.getName(), "controllerring",
					labels.getOrDefault(ShardingLabels.LEASE_RING, ""));
			cordoned.add(new Reading(shard,
					ShardingLabels.isSet(metadata.getAnnotations(), ShardingLabels.CORDONED) ? 1 : 0));
			info.add(new Reading(shard.and("uid", metadata.getUid()), 1));
			ShardState current = ShardState.ofLabel(labels.get(ShardingLabels.LEASE_STATE));
			for (ShardState state : ShardState.values()) {
				states.add(new Reading(shard.and("state", state.name().toLowerCase(Locale.ROOT)),
						(state == current) ? 1 : 0));
			}
		}
		show(this.shardInfo, info);
		show(this.shardState, states);
		show(this.shardCordoned, cordoned);
		showMembers(seen, byRing);
	}

	/* Others may be anybody's, and as many as he likes. */
	private List<Lease> shards(Collection<ControllerRing> rings, Map<String, List<Lease>> byRing) {
		return rings.stream()
			.flatMap((ring) -> byRing.getOrDefault(ring.getMetadata().getName(), List.of()).stream())
			.filter((lease) -> this.trust.admits(lease.getMetadata().getNamespace()))
			.toList();
	}

	private Map<String, List<Lease>> byRing() {
		return this.leases.get()
			.stream()
			.collect(Collectors
				.groupingBy((lease) -> lease.getMetadata().getLabels().getOrDefault(ShardingLabels.LEASE_RING, "")));
	}

	private void showMembers(Collection<ControllerRing> rings, Map<String, List<Lease>> byRing) {
		List<Reading> back = new ArrayList<>();
		List<Reading> late = new ArrayList<>();
		for (ControllerRing ring : rings) {
			String name = ring.getMetadata().getName();
			Membership membership = LeaseMembership.of(byRing.getOrDefault(name, List.of()), this.trust,
					this.clock.instant());
			Tags tags = Tags.of("controllerring", name, "uid", ring.getMetadata().getUid());
			back.add(new Reading(tags, membership.givenBack().size()));
			late.add(new Reading(tags, membership.settling().size()));
		}
		show(this.givenBack, back);
		show(this.settling, late);
	}

	private static List<Reading> conditions(Collection<ControllerRing> rings) {
		List<Reading> rows = new ArrayList<>();
		for (ControllerRing ring : rings) {
			if (ring.getStatus() != null) {
				for (Condition condition : ring.getStatus().conditions()) {
					for (String status : STATUSES) {
						rows.add(new Reading(
								Tags.of("controllerring", ring.getMetadata().getName(), "type", condition.getType(),
										"status", status.toLowerCase(Locale.ROOT)),
								status.equals(condition.getStatus()) ? 1 : 0));
					}
				}
			}
		}
		return rows;
	}

	/*
	 * Gauges are made anew only when something changed: at rest this costs next to
	 * nothing.
	 */
	private void show(MultiGauge gauge, List<Reading> readings) {
		if (!readings.equals(this.shown.put(gauge, readings))) {
			gauge.register(readings.stream().map((reading) -> Row.of(reading.tags, reading.value)).toList(), true);
		}
	}

	/* What is no longer looked after is no longer reported. */
	@Override
	public void close() {
		this.shown.keySet().forEach((gauge) -> gauge.register(List.of(), true));
		// Not those that another one has registered in place of ours.
		this.memoryGauges.forEach((gauge) -> this.registry.find(gauge.getId().getName())
			.meters()
			.stream()
			.filter((found) -> found == gauge)
			.forEach(this.registry::remove));
	}

	private record Reading(Tags tags, Number value) {
	}

}
