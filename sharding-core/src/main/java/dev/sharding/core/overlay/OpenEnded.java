package dev.sharding.core.overlay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

import org.jspecify.annotations.Nullable;

/**
 * Facts about own writes whose version is not known, each until the feed has reached a
 * version that is surely not older than the write.
 *
 * @param <V> the fact
 */
final class OpenEnded<V> {

	private final Map<Long, Item<V>> items = new LinkedHashMap<>();

	void put(long order, V value, long now) {
		this.items.put(order, new Item<>(value, now));
	}

	boolean isEmpty() {
		return this.items.isEmpty();
	}

	int size() {
		return this.items.size();
	}

	/** Notes that {@code version} is not older than the facts. */
	void cover(Set<Long> orders, String version) {
		orders.forEach((order) -> cover(this.items.get(order), version));
	}

	/** Covers all facts that were settled before {@code order}. */
	void coverBefore(long order, String version) {
		this.items.forEach((each, item) -> {
			if (each < order) {
				cover(item, version);
			}
		});
	}

	List<V> dropCovered(FeedPosition position) {
		return drop((order, item) -> item.coveredBy != null && position.covers(item.coveredBy));
	}

	List<V> drop(Set<Long> orders) {
		return drop((order, item) -> orders.contains(order));
	}

	void overdue(long now, long cover, long stuckAfter, Set<Long> uncovered, Set<Long> stuck) {
		this.items.forEach((order, item) -> {
			if (now - item.since >= stuckAfter) {
				stuck.add(order);
			}
			else if (item.coveredBy == null && now - item.since >= cover) {
				uncovered.add(order);
			}
		});
	}

	long oldest(long now) {
		return this.items.values().stream().mapToLong((item) -> now - item.since).max().orElse(0);
	}

	private void cover(@Nullable Item<V> item, String version) {
		if (item != null && item.coveredBy == null) {
			item.coveredBy = version;
		}
	}

	private List<V> drop(BiPredicate<Long, Item<V>> condition) {
		List<V> dropped = new ArrayList<>(0);
		this.items.entrySet().removeIf((entry) -> {
			boolean drop = condition.test(entry.getKey(), entry.getValue());
			if (drop) {
				dropped.add(entry.getValue().value);
			}
			return drop;
		});
		return dropped;
	}

	private static final class Item<V> {

		private final V value;

		private final long since;

		private @Nullable String coveredBy;

		private Item(V value, long since) {
			this.value = value;
			this.since = since;
		}

	}

}
