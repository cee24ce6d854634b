package dev.sharding.benchmarks.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntSupplier;

import dev.sharding.benchmarks.cluster.Spread;
import dev.sharding.internal.core.assignment.AssignmentDecision;
import dev.sharding.internal.core.assignment.AssignmentFacts;
import dev.sharding.internal.core.assignment.HandOver;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.protocol.ShardingLabels;

/**
 * How long it takes to make a hash ring, to decide on every object in a resync that
 * changes nothing, and to look as many keys up in a HashMap. Takes turns, and gives
 * medians.
 */
final class Timings {

	private static final int WARM_UP = 3;

	private static final String RING = "bench";

	private final List<String> shards;

	private final List<ShardingKey> keys;

	private final HashRing ring;

	private final List<String> oneMore;

	private final Map<ShardingKey, Map<String, String>> labels = new HashMap<>();

	private final List<Map<String, String>> inOrder = new ArrayList<>();

	private final List<Double> ringMillis = new ArrayList<>();

	private final List<Double> changeMillis = new ArrayList<>();

	private final List<Double> decisionNanos = new ArrayList<>();

	private final List<Double> lookupNanos = new ArrayList<>();

	Timings(List<String> shards, List<ShardingKey> keys) {
		this.shards = shards;
		this.keys = keys;
		this.ring = HashRing.of(shards);
		this.oneMore = new ArrayList<>(shards);
		this.oneMore.add("one-more");
		Map<String, Map<String, String>> byShard = new HashMap<>();
		shards.forEach((shard) -> byShard.put(shard, Map.of("app", "bench", ShardingLabels.shard(RING), shard)));
		for (ShardingKey key : keys) {
			Map<String, String> own = Objects.requireNonNull(byShard.get(this.ring.shardFor(key)));
			this.labels.put(key, own);
			this.inOrder.add(own);
		}
	}

	void measure(int rounds) {
		for (int round = -WARM_UP; round < rounds; round++) {
			double lookups = nanos(this::lookUp) / this.keys.size();
			double decisions = nanos(this::decide) / this.keys.size();
			double rings = nanos(() -> HashRing.of(this.shards).shards().size()) / 1e6;
			double changes = nanos(() -> this.ring.become(this.oneMore, Set.of(), Set.of()).shards().size()) / 1e6;
			if (round >= 0) {
				this.changeMillis.add(changes);
				this.lookupNanos.add(lookups);
				this.decisionNanos.add(decisions);
				this.ringMillis.add(rings);
			}
		}
	}

	Spread ringMillis() {
		return Spread.of(this.ringMillis);
	}

	/** Of a ring that is made out of the one with a shard less. */
	Spread changeMillis() {
		return Spread.of(this.changeMillis);
	}

	/** Of one object. */
	Spread decisionNanos() {
		return Spread.of(this.decisionNanos);
	}

	/** Of one key. */
	Spread lookupNanos() {
		return Spread.of(this.lookupNanos);
	}

	private int lookUp() {
		int found = 0;
		for (ShardingKey key : this.keys) {
			found += this.labels.containsKey(key) ? 1 : 0;
		}
		return found;
	}

	private int decide() {
		int kept = 0;
		for (int i = 0; i < this.keys.size(); i++) {
			AssignmentDecision decision = AssignmentDecision.of(new AssignmentFacts(this.inOrder.get(i), RING,
					ResourceRole.MAIN, this.keys.get(i), this.ring, HandOver.NONE, false));
			kept += (decision instanceof AssignmentDecision.Keep) ? 1 : 0;
		}
		if (kept != this.keys.size()) {
			throw new IllegalStateException("A resync would move " + (this.keys.size() - kept) + " objects");
		}
		return kept;
	}

	private static double nanos(IntSupplier work) {
		long begin = System.nanoTime();
		if (work.getAsInt() == 0) {
			throw new IllegalStateException("Nothing was done");
		}
		return System.nanoTime() - begin;
	}

}
