package dev.sharding.internal.sharder.diagnosis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sharding.internal.core.assignment.HashRing;

/**
 * Counts which objects would move if the shards of a ring were others, object by object,
 * so that none has to be kept.
 */
public final class WhatIf {

	private static final Pattern ORDINAL = Pattern.compile("(.*-)(\\d{1,9})");

	private final String ring;

	private final HashRing before;

	private final HashRing after;

	private final SortedMap<String, SortedMap<String, int[]>> counts = new TreeMap<>();

	/**
	 * Begins to count.
	 * @param ring the name of the ring
	 * @param before its shards as they are
	 * @param after its shards as they would be
	 */
	public WhatIf(String ring, HashRing before, HashRing after) {
		this.ring = ring;
		this.before = before;
		this.after = after;
	}

	/**
	 * Returns the names of another number of shards: pods of a StatefulSet come and go at
	 * its end, others go from the end of the alphabet, and come under names of ours. How
	 * many objects move hardly depends on names, which ones does.
	 * @param now the names of the shards
	 * @param number how many there would be
	 * @return their names
	 */
	public static SortedSet<String> scaled(SortedSet<String> now, int number) {
		SortedMap<Integer, String> ordinals = new TreeMap<>();
		Set<String> prefixes = new TreeSet<>();
		for (String name : now) {
			Matcher matcher = ORDINAL.matcher(name);
			if (matcher.matches()) {
				prefixes.add(matcher.group(1));
				ordinals.put(Integer.valueOf(matcher.group(2)), name);
			}
		}
		boolean ordered = prefixes.size() == 1 && ordinals.size() == now.size();
		List<String> names = new ArrayList<>(ordered ? ordinals.values() : now);
		SortedSet<String> then = new TreeSet<>(names.subList(0, Math.min(number, names.size())));
		int next = ordered ? ordinals.lastKey() + 1 : 1;
		String prefix = ordered ? prefixes.iterator().next() : "what-if-";
		while (then.size() < number) {
			then.add(prefix + next++);
		}
		return then;
	}

	/**
	 * Counts an object.
	 * @param object the object
	 */
	public void count(ObservedObject object) {
		if (object.key() == null) {
			return;
		}
		String owner = object.shard(this.ring);
		String from = (owner != null && this.before.shards().contains(owner)) ? owner
				: this.before.shardFor(object.key());
		String to = this.after.shardFor(object.key());
		if (from != null) {
			row(from, object.resource())[0]++;
		}
		if (to != null) {
			row(to, object.resource())[1]++;
		}
		if (from != null && to != null && !from.equals(to)) {
			row(from, object.resource())[2]++;
			row(to, object.resource())[3]++;
		}
	}

	/**
	 * Returns what was counted.
	 * @return one row for each shard and resource, sorted
	 */
	public List<Row> rows() {
		List<Row> rows = new ArrayList<>();
		SortedSet<String> all = new TreeSet<>(this.before.shards());
		all.addAll(this.after.shards());
		for (String shard : all) {
			Map<String, int[]> resources = this.counts.getOrDefault(shard, new TreeMap<>());
			resources.forEach(
					(resource, count) -> rows.add(new Row(shard, resource, count[0], count[1], count[2], count[3])));
		}
		return rows;
	}

	/**
	 * Returns how many objects would move.
	 * @param rows what was counted
	 * @return the number of objects of all resources
	 */
	public static int moving(Collection<Row> rows) {
		return rows.stream().mapToInt(Row::leaving).sum();
	}

	private int[] row(String shard, String resource) {
		return this.counts.computeIfAbsent(shard, (same) -> new TreeMap<>())
			.computeIfAbsent(resource, (same) -> new int[4]);
	}

	/**
	 * The objects of one resource that one shard has.
	 *
	 * @param shard the name of the shard
	 * @param resource the resource
	 * @param now how many it has
	 * @param then how many it would have
	 * @param leaving how many would leave it
	 * @param coming how many would come to it
	 */
	public record Row(String shard, String resource, int now, int then, int leaving, int coming) {
	}

}
