package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * How the objects of a ring were divided over time, for a picture.
 *
 * @param ring name of the ring
 * @param points one for each step of time
 */
public record Course(String ring, List<Point> points) {

	/**
	 * @param at the moment
	 * @param owned how many main objects each available shard had
	 * @param unowned how many main objects no available shard had
	 * @param lag what 99 of 100 changes of users that came in the step waited at most
	 * until what is made of them showed that; null if there was none
	 */
	public record Point(Instant at, Map<String, Integer> owned, int unowned, @Nullable Duration lag) {
	}

	static Course of(RingUnderTest ring, List<AuditEvent> events, Instant since, Duration step) {
		History history = History.of(events);
		Membership membership = new Membership(new ShardLeases(ring, history), history, new Leadership(history));
		Lags lags = new Lags(ring, history, new Derived(ring, history));
		List<Change> changes = new ArrayList<>();
		for (ObjectRef object : history.objects()) {
			if (ring.isMain(object)) {
				history.visible(object)
					.forEach((state) -> changes.add(new Change(state.completed(), object, state.body() != null,
							state.label(ring.shardLabel()))));
			}
		}
		changes.sort(Comparator.comparing(Change::at));
		List<Point> points = new ArrayList<>();
		Map<ObjectRef, String> labels = new HashMap<>();
		int next = 0;
		Instant end = changes.isEmpty() ? since : changes.get(changes.size() - 1).at();
		for (Instant at = since; !at.isAfter(end); at = at.plus(step)) {
			for (; next < changes.size() && !changes.get(next).at().isAfter(at); next++) {
				Change change = changes.get(next);
				if (change.there()) {
					labels.put(change.object(), change.owner());
				}
				else {
					labels.remove(change.object());
				}
			}
			points.add(point(at, labels, membership, lags.p99(at, step)));
		}
		return new Course(ring.name(), points);
	}

	private static Point point(Instant at, Map<ObjectRef, String> labels, Membership membership,
			@Nullable Duration lag) {
		Map<String, Integer> owned = new TreeMap<>();
		int unowned = 0;
		for (String label : labels.values()) {
			if (membership.at(at).contains(label)) {
				owned.merge(label, 1, Integer::sum);
			}
			else {
				unowned++;
			}
		}
		return new Point(at, owned, unowned, lag);
	}

	private record Change(Instant at, ObjectRef object, boolean there, String owner) {
	}

	/** How long what users changed waited until what is made of it showed that. */
	private static final class Lags {

		private final TreeMap<Instant, List<Duration>> lags = new TreeMap<>();

		private Lags(RingUnderTest ring, History history, Derived derived) {
			for (ObjectRef object : history.objects()) {
				if (ring.isMain(object)) {
					add(new Serving(object, history, derived));
				}
			}
		}

		private void add(Serving serving) {
			for (int i = 0; i < serving.states().size(); i++) {
				Revision state = serving.states().get(i);
				Instant served = serving.isChange(i) ? serving.at(i) : null;
				if (served != null) {
					Duration lag = Duration.between(state.completed(), served);
					this.lags.computeIfAbsent(state.completed(), (at) -> new ArrayList<>())
						.add(lag.isNegative() ? Duration.ZERO : lag);
				}
			}
		}

		/** What 99 of 100 changes waited at most; null if nothing changed. */
		@Nullable Duration p99(Instant from, Duration step) {
			List<Duration> waited = this.lags.subMap(from, from.plus(step))
				.values()
				.stream()
				.flatMap(List::stream)
				.sorted()
				.toList();
			return waited.isEmpty() ? null : waited.get((int) Math.ceil(waited.size() * 0.99) - 1);
		}

	}

}
