package dev.sharding.judge;

import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * Judges what consistent reads of shards showed: {@code staleReads}. A read of all that a
 * shard has shows each object in a state that was the latest at some moment between its
 * beginning and its end: none that a write had overtaken which was answered before the
 * read began, none of a write that came after it had ended, none that somebody else had
 * or that never was, and it leaves out no object that the shard had all that time.
 */
final class ConsistentReads {

	private final RingUnderTest ring;

	private final History history;

	private final Findings findings;

	/** Which objects each shard ever had. */
	private final Map<String, List<ObjectRef>> had = new HashMap<>();

	/** Since when nobody knows all states of an object: a write had no answer. */
	private final Map<ObjectRef, Instant> unknown = new HashMap<>();

	/**
	 * @param log the events as they were written down: of what nobody answered, the
	 * history may know that it was stored, but not as which version
	 */
	ConsistentReads(RingUnderTest ring, History history, List<AuditEvent> log, Findings findings) {
		log.stream()
			.filter((event) -> event.unanswered() && event.mayHaveTakenEffect())
			.forEach((event) -> this.unknown.merge(event.object(), event.received(),
					(one, other) -> one.isBefore(other) ? one : other));
		this.ring = ring;
		this.history = history;
		this.findings = findings;
		for (ObjectRef object : history.objects()) {
			if (ring.isMain(object)) {
				history.of(object)
					.stream()
					.map((revision) -> revision.label(ring.shardLabel()))
					.distinct()
					.forEach((shard) -> this.had.computeIfAbsent(shard, (key) -> new ArrayList<>()).add(object));
			}
		}
	}

	void judge(List<ReadRecord> reads) {
		reads.stream().filter((read) -> read.ring().equals(this.ring.name()) && read.answered()).forEach(this::judge);
	}

	private void judge(ReadRecord read) {
		Map<ObjectRef, String> shown = new TreeMap<>(
				Comparator.comparing(ObjectRef::namespace).thenComparing(ObjectRef::name));
		read.versions().forEach((name, version) -> shown.put(this.ring.mainObject(name), version));
		shown.forEach((object, version) -> {
			String wrong = wrong(object, new BigInteger(version), read);
			if (!wrong.isEmpty()) {
				this.findings.add(Counter.STALE_READS, read.end(),
						"%s showed %s of version %s: %s".formatted(read, object, version, wrong));
			}
		});
		for (ObjectRef object : this.had.getOrDefault(read.shard(), List.of())) {
			if (!shown.containsKey(object) && hadAllTheTime(this.history.of(object), read)) {
				this.findings.add(Counter.STALE_READS, read.end(),
						"%s did not show %s, which it had all the time".formatted(read, object));
			}
		}
	}

	private String wrong(ObjectRef object, BigInteger version, ReadRecord read) {
		List<Revision> states = this.history.of(object);
		Revision before = lastAnswered(states, read.begin());
		Revision shown = states.stream().filter((state) -> version.equals(version(state))).findFirst().orElse(null);
		boolean sure = this.unknown.getOrDefault(object, Instant.MAX).isAfter(read.end());
		if (shown == null) {
			if (!states.isEmpty() && sure) {
				return "nobody wrote that version";
			}
		}
		else if (shown.received().isAfter(read.end())) {
			// What stores nothing new is answered with the version that there was.
			if (sure) {
				return "that version came at " + shown.received();
			}
		}
		else if (!shown.label(this.ring.shardLabel()).equals(read.shard())) {
			return "in that version it was of '%s'".formatted(shown.label(this.ring.shardLabel()));
		}
		if (before == null) {
			return "";
		}
		BigInteger stored = version(before);
		if (stored == null) {
			// Unless it was created again.
			boolean again = states.stream()
				.anyMatch((state) -> version.equals(version(state)) && states.indexOf(state) > states.indexOf(before));
			return again ? "" : "it was deleted at " + before.completed();
		}
		return (stored.compareTo(version) > 0)
				? "version %s had been answered at %s".formatted(stored, before.completed()) : "";
	}

	/**
	 * That of a state, also of one that a deletion has made; null of an object that is
	 * gone.
	 */
	private static @Nullable BigInteger version(Revision state) {
		Body body = state.body();
		return (body != null) ? new BigInteger(body.resourceVersion()) : null;
	}

	/** The last state, in the order of the store, that was answered by that time. */
	private static @Nullable Revision lastAnswered(List<Revision> states, Instant time) {
		Revision last = null;
		for (Revision state : states) {
			last = state.completed().isBefore(time) ? state : last;
		}
		return last;
	}

	/** By all that could have changed that meanwhile, answered or not. */
	private boolean hadAllTheTime(List<Revision> states, ReadRecord read) {
		Revision before = lastAnswered(states, read.begin());
		if (before == null || !before.label(this.ring.shardLabel()).equals(read.shard())) {
			return false;
		}
		return states.stream()
			.skip(states.indexOf(before) + 1L)
			.filter((state) -> state.received().isBefore(read.end()))
			.allMatch((state) -> state.label(this.ring.shardLabel()).equals(read.shard()));
	}

}
