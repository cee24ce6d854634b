package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * How slow the API server and the machine were: whoever drives the run writes the
 * ConfigMap {@value #NAME} in {@value Mark#NAMESPACE} all the time, with the key
 * {@code millis}: how long it took until its last write was answered and seen by a watch.
 *
 * @param p50 what half of its writes needed at most; zero without any
 * @param p99 what all but one in a hundred needed at most
 */
record BareClient(Duration p50, Duration p99) {

	static final String NAME = "judge-probe";

	/** What it needs where there is nothing else to do. */
	private static final Duration UNDISTURBED = Duration.ofMillis(10);

	/** Go's sharder needs as much for each object that it moves. */
	private static final Duration EACH = Duration.ofMillis(2);

	/** By what it has written since then. */
	static BareClient of(List<AuditEvent> events, Instant since) {
		List<Duration> needed = events.stream()
			.filter((event) -> event.object().name().equals(NAME) && event.object().namespace().equals(Mark.NAMESPACE))
			.filter((event) -> event.changesState() && !event.received().isBefore(since))
			.map(AuditEvent::response)
			.filter(Objects::nonNull)
			.map((body) -> Duration.ofMillis(Long.parseLong(body.data().getOrDefault("millis", "0"))))
			.sorted()
			.toList();
		return new BareClient(percentile(needed, 0.5), percentile(needed, 0.99));
	}

	private static Duration percentile(List<Duration> sorted, double share) {
		return sorted.isEmpty() ? Duration.ZERO : sorted.get((int) Math.ceil(share * sorted.size()) - 1);
	}

	/**
	 * How long one of many things may take that are done at a time: 2 ms, and as much as
	 * a bare client was slower than usual.
	 */
	Duration each() {
		return (this.p50.compareTo(UNDISTURBED) > 0) ? EACH.plus(this.p50).minus(UNDISTURBED) : EACH;
	}

}
