package dev.sharding.benchmarks.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;

/** Keys of objects, and what a hash ring does with them. */
final class Population {

	private final List<ShardingKey> keys;

	/** Names as those of objects of some projects. */
	Population(int keys) {
		this.keys = IntStream.range(0, keys)
			.mapToObj((i) -> new ShardingKey("webhosting.timebertt.dev", "Website", "project-" + i % 997,
					"homepage-" + i))
			.toList();
	}

	/** Names as those of the pods of a Deployment, of which some come and go. */
	static List<String> shards(int from, int to) {
		return IntStream.range(from, to)
			.mapToObj((i) -> "checksum-controller-c95c4fdb6-%05x".formatted(i * 7919 % 0xFFFFF))
			.toList();
	}

	List<ShardingKey> keys() {
		return this.keys;
	}

	/** How the keys are shared out. */
	Balance balance(HashRing ring) {
		Map<String, Integer> counts = new HashMap<>();
		ring.shards().forEach((shard) -> counts.put(shard, 0));
		for (ShardingKey key : this.keys) {
			counts.merge(owner(ring, key), 1, Integer::sum);
		}
		List<Integer> sorted = new ArrayList<>(counts.values());
		sorted.sort(null);
		double mean = this.keys.size() / (double) sorted.size();
		return new Balance(sorted.get(0) / mean, sorted.get((sorted.size() - 1) * 99 / 100) / mean,
				sorted.get(sorted.size() - 1) / mean);
	}

	/** What changes hands between two rings. */
	Moves moves(HashRing before, HashRing after) {
		int moved = 0;
		int needless = 0;
		for (ShardingKey key : this.keys) {
			String from = owner(before, key);
			String to = owner(after, key);
			if (!from.equals(to)) {
				moved++;
				boolean left = !after.shards().contains(from);
				boolean joined = !before.shards().contains(to);
				needless += (left || joined) ? 0 : 1;
			}
		}
		return new Moves(moved / (double) this.keys.size(), needless);
	}

	private static String owner(HashRing ring, ShardingKey key) {
		return Objects.requireNonNull(ring.shardFor(key));
	}

	/**
	 * Shares of shards, in that of the mean.
	 *
	 * @param least the least of them
	 * @param p99 what 99 of 100 shards do not exceed
	 * @param most the most of them
	 */
	record Balance(double least, double p99, double most) {
	}

	/**
	 * @param share of all keys
	 * @param needless keys that moved between two shards that are on both rings
	 */
	record Moves(double share, int needless) {
	}

}
