package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * How slow the API server and the machine were: whoever drives the run writes the
 * ConfigMap {@value #NAME} in {@value Mark#NAMESPACE} all the time, with the key
 * {@code millis}: how long it took until its write before was answered and seen by a
 * watch.
 *
 * @param p99 what all but one in a hundred of its writes needed at most, zero without any
 * @param trips when each was under way
 */
record BareClient(Duration p99, List<Trip> trips) {

	static final String NAME = "judge-probe";

	/** What it needs where there is nothing else to do. */
	private static final Duration UNDISTURBED = Duration.ofMillis(10);

	/**
	 * The Go sharder moves a pair of objects in as much, where there is nothing else to
	 * do.
	 */
	private static final Duration EACH = Duration.ofMillis(4);

	/** By what it has written since then. */
	static BareClient of(List<AuditEvent> events, Instant since) {
		List<AuditEvent> writes = events.stream()
			.filter((event) -> event.object().name().equals(NAME) && event.object().namespace().equals(Mark.NAMESPACE))
			.filter((event) -> event.changesState() && !event.received().isBefore(since))
			.sorted(Comparator.comparing(AuditEvent::received))
			.toList();
		List<Trip> trips = new ArrayList<>();
		Instant before = null;
		for (AuditEvent write : writes) {
			Body body = write.response();
			Duration needed = Duration
				.ofMillis((body != null) ? Long.parseLong(body.data().getOrDefault("millis", "0")) : 0);
			Instant from = (before != null) ? before : write.received().minus(needed);
			trips.add(new Trip(from, from.plus(needed)));
			before = write.received();
		}
		List<Duration> sorted = trips.stream().map(Trip::needed).sorted().toList();
		return new BareClient(sorted.isEmpty() ? Duration.ZERO : sorted.get((int) Math.ceil(0.99 * sorted.size()) - 1),
				trips);
	}

	/**
	 * What has to be added to a bound: what one request needed, what the client lost in
	 * that time as it was slower than usual, and 4 ms for each of the things that were
	 * done meanwhile, or as many times more as the client was slower.
	 */
	Duration allowance(Instant from, Instant to, long done) {
		Duration needed = Duration.ZERO;
		Duration lost = Duration.ZERO;
		long count = 0;
		for (Trip trip : this.trips) {
			Instant begin = trip.from().isAfter(from) ? trip.from() : from;
			Instant end = trip.to().isBefore(to) ? trip.to() : to;
			Duration within = Duration.between(begin, end);
			if (!within.isNegative()) {
				count++;
				needed = needed.plus(trip.needed());
				lost = (within.compareTo(UNDISTURBED) > 0) ? lost.plus(within.minus(UNDISTURBED)) : lost;
			}
		}
		Duration each = EACH.multipliedBy(done);
		if (count > 0 && needed.compareTo(UNDISTURBED.multipliedBy(count)) > 0) {
			each = each.multipliedBy(needed.toNanos()).dividedBy(UNDISTURBED.multipliedBy(count).toNanos());
		}
		return this.p99.plus(lost).plus(each);
	}

	/** From the write until the watch showed it. */
	record Trip(Instant from, Instant to) {

		Duration needed() {
			return Duration.between(this.from, this.to);
		}

	}

}
