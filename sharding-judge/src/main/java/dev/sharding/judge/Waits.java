package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Until when the objects of a shard that was given back wait for its next holder: until
 * somebody takes the Lease, or until its grace is over. That is counted from the moment
 * that the Lease names, and only while another shard holds its own: until then nobody
 * else could have the objects.
 */
final class Waits {

	private final List<Wait> waits = new ArrayList<>();

	private final Map<String, List<Span>> held = new HashMap<>();

	/** A shard held its Lease from that moment on, or began to anew. */
	void held(String shard, Instant from) {
		lost(shard, from);
		this.held.computeIfAbsent(shard, (name) -> new ArrayList<>()).add(new Span(from, Instant.MAX));
	}

	/** It was not available from that moment on. */
	void lost(String shard, Instant to) {
		List<Span> spans = this.held.getOrDefault(shard, List.of());
		if (!spans.isEmpty() && spans.get(spans.size() - 1).to().isAfter(to)) {
			Span last = spans.remove(spans.size() - 1);
			if (last.from().isBefore(to)) {
				spans.add(new Span(last.from(), to));
			}
		}
	}

	/**
	 * It was given back.
	 * @param until when its Lease was written again, and said something else
	 */
	void add(String shard, Revision givenBack, Instant until) {
		Instant since = givenBack.lease().waitedForSince();
		if (since != null) {
			this.waits.add(new Wait(shard, givenBack.completed(), until, since, givenBack.lease().giveBack().grace()));
		}
	}

	/** Each of them with its end. */
	List<Wait> all() {
		return this.waits.stream().map((wait) -> wait.endedBy(graceEnd(wait))).toList();
	}

	private Instant graceEnd(Wait wait) {
		Instant end = Instant.MAX;
		for (Map.Entry<String, List<Span>> shard : this.held.entrySet()) {
			if (!shard.getKey().equals(wait.shard())) {
				for (Span span : shard.getValue()) {
					Instant over = later(later(span.from(), wait.since()).plus(wait.grace()), wait.from());
					end = (over.isBefore(span.to()) && over.isBefore(end)) ? over : end;
				}
			}
		}
		return end;
	}

	private static Instant later(Instant one, Instant other) {
		return one.isAfter(other) ? one : other;
	}

	/**
	 * @param from when it was given back
	 * @param to when the wait is over
	 * @param since from when on the grace is counted
	 */
	record Wait(String shard, Instant from, Instant to, Instant since, Duration grace) {

		private Wait endedBy(Instant end) {
			return new Wait(this.shard, this.from, end.isBefore(this.to) ? end : this.to, this.since, this.grace);
		}

	}

	private record Span(Instant from, Instant to) {
	}

}
