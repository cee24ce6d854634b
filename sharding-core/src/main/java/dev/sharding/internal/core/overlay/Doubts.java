package dev.sharding.internal.core.overlay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The writes in doubt, each by the order of its last try.
 */
final class Doubts<K, T> {

	private Map<Long, Doubt<K, T>> doubts = new LinkedHashMap<>();

	/** Whether the last answer about them had a version that tells nothing. */
	private boolean unordered;

	int size() {
		return this.doubts.size();
	}

	boolean isEmpty() {
		return this.doubts.isEmpty();
	}

	void add(long order, Doubt<K, T> doubt) {
		Doubt<K, T> all = doubt;
		for (Map.Entry<Long, Doubt<K, T>> earlier : List.copyOf(this.doubts.entrySet())) {
			if (doubt.repeats(earlier.getValue())) {
				all = all.repeating(earlier.getValue());
				this.doubts.remove(earlier.getKey());
			}
		}
		this.doubts.put(order, all);
	}

	/**
	 * Ends the doubts about an object as far as they arose before it was asked about.
	 * @param asked the order of a doubt at that time
	 * @return whether there were any
	 */
	boolean answered(K key, long asked) {
		boolean any = false;
		for (Map.Entry<Long, Doubt<K, T>> entry : List.copyOf(this.doubts.entrySet())) {
			Doubt<K, T> doubt = entry.getValue();
			if (key.equals(doubt.key()) && doubt.first() <= asked) {
				any = true;
				if (entry.getKey() <= asked) {
					this.doubts.remove(entry.getKey());
				}
				else {
					this.doubts.put(entry.getKey(), doubt.from(asked + 1));
				}
			}
		}
		return any;
	}

	/** Notes the version of an object that the feed has not reached. */
	void located(K key, long asked, String version) {
		this.doubts.replaceAll(
				(order, doubt) -> (key.equals(doubt.key()) && order <= asked) ? doubt.located(key, version) : doubt);
	}

	@Nullable Doubt<K, T> remove(long order) {
		return this.doubts.remove(order);
	}

	/** What was created without a name may be any of these, at a version to come. */
	void mayBe(Doubt<K, T> unnamed, Map<K, String> candidates, LongSupplier orders) {
		candidates.forEach((key, version) -> {
			if (unnamed.mayTarget(key)) {
				this.doubts.put(orders.getAsLong(), unnamed.located(key, version));
			}
		});
	}

	void answeredInOrder(boolean ordered) {
		this.unordered = !ordered;
	}

	void removeAll(Set<Long> orders) {
		this.doubts.keySet().removeAll(orders);
	}

	void event(ObservedEvent<T> event) {
		if (!this.doubts.isEmpty()) {
			this.doubts.values().removeIf((doubt) -> doubt.endsWith(event));
		}
	}

	void advanced(FeedPosition position) {
		if (!this.doubts.isEmpty()) {
			this.doubts.values().removeIf((doubt) -> doubt.located() != null && position.covers(doubt.located()));
		}
	}

	/*
	 * One object costs little. Of several the versions alone tell which of them the feed
	 * has reached; it usually delivers the others before they would be asked for.
	 */
	@Nullable DoubtQuestion<K> question() {
		if (this.doubts.isEmpty()) {
			return null;
		}
		if (this.unordered || any((doubt) -> !doubt.ordered())) {
			return new DoubtQuestion<>(DoubtQuestion.Kind.EVERYTHING, null, names((doubt) -> true));
		}
		List<Optional<K>> open = new ArrayList<>();
		for (Doubt<K, T> doubt : this.doubts.values()) {
			Optional<K> key = Optional.ofNullable(doubt.key());
			if (doubt.located() == null && !(key.isPresent() && open.contains(key))) {
				open.add(key);
			}
		}
		K one = (open.size() == 1) ? open.get(0).orElse(null)
				: open.isEmpty() ? this.doubts.values().iterator().next().key() : null;
		return (one != null)
				? new DoubtQuestion<>(DoubtQuestion.Kind.OBJECT, one, names((doubt) -> one.equals(doubt.key())))
				: new DoubtQuestion<>(DoubtQuestion.Kind.VERSIONS, null, names((doubt) -> true));
	}

	boolean any(Predicate<Doubt<K, T>> condition) {
		return this.doubts.values().stream().anyMatch(condition);
	}

	/** The names of some with their keys. */
	Map<Long, Optional<K>> names(Predicate<Doubt<K, T>> condition) {
		if (this.doubts.isEmpty()) {
			return Map.of();
		}
		Map<Long, Optional<K>> found = new LinkedHashMap<>();
		this.doubts.forEach((order, doubt) -> {
			if (condition.test(doubt)) {
				found.put(order, Optional.ofNullable(doubt.key()));
			}
		});
		return found;
	}

	void overdue(long now, long stuckAfter, Set<Long> stuck) {
		this.doubts.forEach((order, doubt) -> {
			if (now - doubt.since() >= stuckAfter) {
				stuck.add(order);
			}
		});
	}

	long oldest(long now) {
		long oldest = 0;
		for (Doubt<K, T> doubt : this.doubts.values()) {
			oldest = Math.max(oldest, now - doubt.since());
		}
		return oldest;
	}

	void trim() {
		this.doubts = new LinkedHashMap<>();
	}

}
