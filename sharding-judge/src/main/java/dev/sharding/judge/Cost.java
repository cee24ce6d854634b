package dev.sharding.judge;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Judges what a run cost: {@code tooManyLists}, {@code needlessWrites} and
 * {@code withoutVersion}. At rest nobody lists but for a resync now and then; a change of
 * membership costs a constant number of lists, and one patch for each object that changes
 * its owner.
 */
final class Cost {

	/** In any ten seconds. */
	private static final Duration WINDOW = Duration.ofSeconds(10);

	/** Of a resource, by a process to which nothing happens. */
	static final int AT_REST = 20;

	/** More for each thing that happens in the window or in the one before it. */
	static final int EACH = 4;

	private final RingUnderTest ring;

	private final ShardLeases leases;

	private final History history;

	private final Findings findings;

	Cost(RingUnderTest ring, ShardLeases leases, History history, Findings findings) {
		this.ring = ring;
		this.leases = leases;
		this.history = history;
		this.findings = findings;
	}

	void judge(List<AuditEvent> events, List<Mark> marks) {
		NavigableSet<Instant> happened = happened(marks);
		Map<String, List<AuditEvent>> lists = new HashMap<>();
		for (AuditEvent event : events) {
			boolean ofRing = this.ring.isMain(event.object()) || this.ring.isControlled(event.object());
			boolean ours = event.bySharder()
					|| event.shard() != null && this.leases.shards().contains(String.valueOf(event.shard()));
			if (ours && ofRing && event.listsOrWatches() && !event.reads()) {
				lists
					.computeIfAbsent(event.user() + " " + event.verb() + " " + event.object().resource(),
							(key) -> new ArrayList<>())
					.add(event);
			}
		}
		lists.values().forEach((list) -> judgeLists(list, happened));
		judgeWrites();
	}

	/** Changes of membership and of who leads, and what was done to anybody. */
	private NavigableSet<Instant> happened(List<Mark> marks) {
		NavigableSet<Instant> happened = new TreeSet<>();
		for (String shard : this.leases.shards()) {
			for (ObjectRef lease : this.leases.of(shard)) {
				changes(this.history.of(lease), happened);
			}
		}
		changes(this.history.of(Leadership.LEASE), happened);
		marks.stream().filter((mark) -> !mark.quiescent()).map(Mark::at).forEach(happened::add);
		return happened;
	}

	private static void changes(List<Revision> revisions, NavigableSet<Instant> happened) {
		String before = "";
		for (Revision revision : revisions) {
			String holder = revision.cause().user() + " " + revision.lease().holder();
			boolean stateOnly = revision.cause().bySharder() && before.endsWith(" " + revision.lease().holder());
			if (!stateOnly && !holder.equals(before)) {
				happened.add(revision.completed());
				before = holder;
			}
		}
	}

	private void judgeLists(List<AuditEvent> lists, NavigableSet<Instant> happened) {
		lists.sort(Comparator.comparing(AuditEvent::received));
		Instant began = lists.get(0).received();
		Deque<AuditEvent> window = new ArrayDeque<>();
		for (AuditEvent event : lists) {
			Instant at = event.received();
			window.add(event);
			while (window.getFirst().received().isBefore(at.minus(WINDOW))) {
				window.removeFirst();
			}
			int things = happened.subSet(at.minus(WINDOW.multipliedBy(2)), true, at, true).size()
					+ (began.isAfter(at.minus(WINDOW.multipliedBy(2))) ? 1 : 0);
			if (window.size() > AT_REST + EACH * things) {
				this.findings.add(Counter.TOO_MANY_LISTS, at,
						"%s: the %d. in %d s, in which and before which %d things happened".formatted(event,
								window.size(), WINDOW.toSeconds(), things));
				// One finding for each window.
				window.clear();
				window.add(event);
			}
		}
	}

	private void judgeWrites() {
		for (ObjectRef object : this.history.objects()) {
			if (this.ring.isMain(object) || this.ring.isControlled(object)) {
				judgeWrites(object, this.history.of(object));
			}
		}
	}

	private void judgeWrites(ObjectRef object, List<Revision> revisions) {
		Set<BigInteger> stored = new HashSet<>();
		Body before = null;
		for (Revision revision : revisions) {
			AuditEvent cause = revision.cause();
			BigInteger version = cause.version();
			boolean again = version != null && !stored.add(version);
			// What a shard makes of an object is its user's affair.
			boolean ours = cause.bySharder() || cause.shard() != null && this.ring.isMain(object);
			boolean moved = before != null && revision.body() != null && movesOrDrains(before, revision);
			// The last patch of what is deleted has the version of what it ends.
			if (ours && again && revision.body() != null) {
				this.findings.add(Counter.NEEDLESS_WRITES, revision.received(), cause + ": it stored nothing new");
			}
			else if (cause.bySharder() && before != null && revision.body() != null && !moved) {
				this.findings.add(Counter.NEEDLESS_WRITES, revision.received(),
						cause + ": neither its owner nor its drain label is another");
			}
			else if (moved && (cause.bySharder() || cause.shard() != null)) {
				judgeVersion(cause);
			}
			before = (revision.body() != null) ? revision.body() : null;
		}
	}

	/** Who changes who owns an object says of which version. */
	private void judgeVersion(AuditEvent event) {
		Body request = event.request();
		if (request != null && event.verb().equals("patch") && request.resourceVersion().isEmpty()
				&& (request.labels().containsKey(this.ring.shardLabel())
						|| request.labels().containsKey(this.ring.drainLabel()))) {
			this.findings.add(Counter.WITHOUT_VERSION, event.received(),
					event + ": it changes who owns the object and does not say of which version");
		}
	}

	private boolean movesOrDrains(Body before, Revision after) {
		return !before.labels().getOrDefault(this.ring.shardLabel(), "").equals(after.label(this.ring.shardLabel()))
				|| !before.labels()
					.getOrDefault(this.ring.drainLabel(), "")
					.equals(after.label(this.ring.drainLabel()));
	}

}
