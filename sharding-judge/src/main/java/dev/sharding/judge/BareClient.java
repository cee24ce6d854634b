package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * How slow the API server and the machine were, and when: whoever drives the run writes
 * the ConfigMap {@value #NAME} in {@value Mark#NAMESPACE} again and again, 100 ms after
 * the last time. The key {@code late} says by how many milliseconds its timer went off
 * too late the last time, {@code millis} how long it took from then to compute for 10 ms
 * and until the write that follows was answered and seen by a watch. Both together are
 * what the client suffered.
 * <p>
 * To a bound in time comes what follows from that: <pre>
 * bound = contract + 7 × worst + n × max(4 ms, 0.2 × mean)
 * </pre> {@code worst} and {@code mean} are of what the client suffered from five seconds
 * before until five seconds after, and {@code n} is the number of things of the same kind
 * that were done meanwhile. Without a bare client, the bound is the contract. The system
 * property {@code judge.patience} multiplies what comes to the contract: cold programs,
 * two plays at a time on two cores, wait longer than a warm client.
 *
 * @param trips when each of its writes was under way, by when that was over
 */
record BareClient(NavigableMap<Instant, Trip> trips) {

	static final String NAME = "judge-probe";

	/**
	 * The steps of a hand-over, each of which waits for a thread, the network and the API
	 * server: the timer that finds a shard dead, its Lease, the event of that, the lists
	 * of its objects and of what they control, the moves of that and of the object. No
	 * other thing that has a bound takes more.
	 */
	static final int STEPS = 7;

	/** How many times as long as that, on a machine that is not the run's own. */
	private static final int PATIENCE = Integer.getInteger("judge.patience", 1);

	/** A machine that is busy now was so a moment ago, and will be in a moment. */
	private static final Duration NEAR = Duration.ofSeconds(5);

	/**
	 * The Go sharder moves a pair of objects in as much, where there is nothing else to
	 * do and the client needs twenty milliseconds.
	 */
	private static final Duration EACH = Duration.ofMillis(4);

	private static final int UNDISTURBED_MILLIS = 20;

	/** By what it has written. */
	static BareClient of(List<AuditEvent> events) {
		List<AuditEvent> writes = events.stream()
			.filter((event) -> event.object().name().equals(NAME) && event.object().namespace().equals(Mark.NAMESPACE))
			.filter(AuditEvent::changesState)
			.sorted(Comparator.comparing(AuditEvent::received))
			.toList();
		NavigableMap<Instant, Trip> trips = new TreeMap<>();
		// Each write tells of the one before.
		for (int i = 1; i < writes.size(); i++) {
			Instant sent = writes.get(i - 1).received();
			Instant to = sent.plus(millis(writes.get(i), "millis"));
			trips.put(to, new Trip(sent.minus(millis(writes.get(i), "late")), to));
		}
		return new BareClient(trips);
	}

	private static Duration millis(AuditEvent write, String key) {
		Body body = write.response();
		return Duration.ofMillis((body != null) ? Long.parseLong(body.data().getOrDefault(key, "0")) : 0);
	}

	/** The most that the client suffered near that time, zero without any. */
	Duration worst(Instant from, Instant to) {
		return suffered(from, to).stream().max(Comparator.naturalOrder()).orElse(Duration.ZERO);
	}

	/**
	 * What comes to a bound in time.
	 * @param done how many things of the same kind were done meanwhile
	 */
	Duration allowance(Instant from, Instant to, long done) {
		List<Duration> suffered = suffered(from, to);
		Duration mean = suffered.stream().reduce(Duration.ZERO, Duration::plus).dividedBy(Math.max(1, suffered.size()));
		Duration slow = mean.multipliedBy(EACH.toMillis()).dividedBy(UNDISTURBED_MILLIS);
		Duration each = (slow.compareTo(EACH) > 0) ? slow : EACH;
		return worst(from, to).multipliedBy(STEPS).plus(each.multipliedBy(done)).multipliedBy(PATIENCE);
	}

	private List<Duration> suffered(Instant from, Instant to) {
		return this.trips.tailMap(from.minus(NEAR), true)
			.values()
			.stream()
			.takeWhile((trip) -> !trip.from().isAfter(to.plus(NEAR)))
			.map(Trip::suffered)
			.toList();
	}

	/** From when a write was due until the watch showed it. */
	record Trip(Instant from, Instant to) {

		Duration suffered() {
			return Duration.between(this.from, this.to);
		}

	}

}
