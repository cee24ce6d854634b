package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Judges what came too late and did no harm: {@code lateWrites}. A process that is
 * stopped between its last look and the socket sends such a request when it goes on: at
 * most one a worker, and later by as long as it was stopped. One that is late by no more
 * than a bare client's request took near that time was on its way; of each process as
 * many as it has workers. Nothing else explains one.
 */
final class LateWrites {

	private final Injected injected;

	private final BareClient bareClient;

	private final Findings findings;

	private final Map<AuditEvent, Late> writes = new LinkedHashMap<>();

	private final Map<String, Integer> onTheirWay = new HashMap<>();

	LateWrites(Injected injected, BareClient bareClient, Findings findings) {
		this.injected = injected;
		this.bareClient = bareClient;
		this.findings = findings;
	}

	/**
	 * Notes a request that had no effect, or one before anybody else could be hurt.
	 * @param due by when it was allowed
	 * @param why what had happened then
	 */
	void add(AuditEvent event, Instant due, String why) {
		this.writes.putIfAbsent(event, new Late(due, why));
	}

	void judge() {
		Map<Injected.Window, Integer> explained = new HashMap<>();
		this.writes.forEach((event, late) -> {
			String sentence = "%s: %s at %s, %d ms before".formatted(event, late.why(), late.due(),
					Duration.between(late.due(), event.received()).toMillis());
			Duration latency = this.bareClient.worst(late.due(), event.received());
			Injected.Window stop = this.injected.stopOf(event.user(), late.due(), event.received(), latency);
			boolean onItsWay = !event.received().isAfter(late.due().plus(latency))
					&& this.onTheirWay.merge(event.user(), 1, Integer::sum) <= this.injected.workers();
			if (onItsWay) {
				this.findings.explain(event.received(), sentence + "; a bare client's request took as long");
			}
			else if (stop != null && explained.merge(stop, 1, Integer::sum) <= stop.workers()) {
				this.findings.explain(event.received(), "%s; its process was stopped from %s to %s".formatted(sentence,
						stop.from(), stop.to().equals(Instant.MAX) ? "the end" : stop.to()));
			}
			else {
				this.findings.add(Counter.LATE_WRITES, event.received(), sentence);
			}
		});
	}

	private record Late(Instant due, String why) {
	}

}
