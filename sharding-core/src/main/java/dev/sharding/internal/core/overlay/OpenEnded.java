package dev.sharding.internal.core.overlay;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import org.jspecify.annotations.Nullable;

/**
 * Facts about own writes whose version is not known, each until the feed has reached a
 * version that is surely not older than the write. A fact is looked at when it comes, is
 * covered and goes, and not for the sake of others.
 *
 * @param <V> the fact
 */
final class OpenEnded<V> {

	/** Those without a version, the oldest first. */
	private final Map<Long, Item<V>> uncovered = new LinkedHashMap<>();

	/** Those with one, by that version. */
	private final TreeMap<String, Map<Long, Item<V>>> covered = new TreeMap<>(OpenEnded::compare);

	private int size;

	/**
	 * Adds a fact.
	 * @param order greater than those before
	 */
	void put(long order, V value, long now) {
		this.uncovered.put(order, new Item<>(value, now));
		this.size++;
	}

	boolean isEmpty() {
		return this.size == 0;
	}

	int size() {
		return this.size;
	}

	/** Notes that {@code version}, a comparable one, is not older than the facts. */
	void cover(Set<Long> orders, String version) {
		for (Long order : orders) {
			Item<V> item = this.uncovered.remove(order);
			if (item != null) {
				cover(order, item, version);
			}
		}
	}

	/** Covers all facts that were settled before {@code order}. */
	void coverBefore(long order, String version) {
		Iterator<Map.Entry<Long, Item<V>>> oldestFirst = this.uncovered.entrySet().iterator();
		while (oldestFirst.hasNext()) {
			Map.Entry<Long, Item<V>> entry = oldestFirst.next();
			if (entry.getKey() >= order) {
				return;
			}
			oldestFirst.remove();
			cover(entry.getKey(), entry.getValue(), version);
		}
	}

	List<V> dropCovered(FeedPosition position) {
		List<V> dropped = new ArrayList<>(0);
		Map.Entry<String, Map<Long, Item<V>>> lowest = this.covered.firstEntry();
		while (lowest != null && position.covers(lowest.getKey())) {
			this.covered.remove(lowest.getKey());
			for (Item<V> item : lowest.getValue().values()) {
				dropped(item, dropped);
			}
			lowest = this.covered.firstEntry();
		}
		return dropped;
	}

	List<V> drop(Set<Long> orders) {
		List<V> dropped = new ArrayList<>(0);
		for (Long order : orders) {
			dropped(this.uncovered.remove(order), dropped);
		}
		for (Map<Long, Item<V>> items : this.covered.values()) {
			for (Long order : orders) {
				dropped(items.remove(order), dropped);
			}
		}
		this.covered.values().removeIf(Map::isEmpty);
		return dropped;
	}

	void overdue(long now, long cover, long stuckAfter, Set<Long> due, Set<Long> stuck) {
		this.uncovered.forEach((order, item) -> {
			if (now - item.since >= stuckAfter) {
				stuck.add(order);
			}
			else if (now - item.since >= cover) {
				due.add(order);
			}
		});
		for (Map<Long, Item<V>> items : this.covered.values()) {
			items.forEach((order, item) -> {
				if (now - item.since >= stuckAfter) {
					stuck.add(order);
				}
			});
		}
	}

	long oldest(long now) {
		long oldest = 0;
		for (Item<V> item : this.uncovered.values()) {
			oldest = Math.max(oldest, now - item.since);
		}
		for (Map<Long, Item<V>> items : this.covered.values()) {
			for (Item<V> item : items.values()) {
				oldest = Math.max(oldest, now - item.since);
			}
		}
		return oldest;
	}

	private void cover(long order, Item<V> item, String version) {
		this.covered.computeIfAbsent(version, (absent) -> new LinkedHashMap<>()).put(order, item);
	}

	private void dropped(@Nullable Item<V> item, List<V> dropped) {
		if (item != null) {
			this.size--;
			dropped.add(item.value);
		}
	}

	private static int compare(String left, String right) {
		Order order = ResourceVersions.compare(left, right);
		return (order == Order.BEFORE) ? -1 : (order == Order.AFTER) ? 1 : 0;
	}

	private record Item<V>(V value, long since) {
	}

}
