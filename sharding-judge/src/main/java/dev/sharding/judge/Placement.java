package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/** Judges where the objects were: {@code wrongOwner} and {@code unassigned}. */
final class Placement {

	private static final Duration GRACE_FOR_EACH_CHANGE = Duration.ofMillis(5);

	private final RingUnderTest ring;

	private final History history;

	private final Membership membership;

	private final List<Mark> marks;

	private final Instant end;

	private final Duration grace;

	private final Findings findings;

	private final Set<ObjectRef> wrong = new HashSet<>();

	/**
	 * @param marks the lines between the steps, in order
	 * @param end when the log ends
	 * @param grace how long an object may have no owner
	 */
	Placement(RingUnderTest ring, History history, Membership membership, List<Mark> marks, Instant end, Duration grace,
			Findings findings) {
		this.ring = ring;
		this.history = history;
		this.membership = membership;
		this.marks = marks;
		this.end = end;
		this.grace = grace;
		this.findings = findings;
	}

	void judge() {
		this.marks.stream().filter(Mark::quiescent).forEach(this::judgeOwners);
		Map<Mark, Integer> changes = ownerChanges();
		for (ObjectRef object : this.history.objects()) {
			if (this.ring.isMain(object)) {
				judgeGaps(object, changes);
			}
		}
	}

	private void judgeOwners(Mark mark) {
		JudgeRing owners = new JudgeRing(this.membership.at(mark.at()));
		for (ObjectRef object : this.history.objects()) {
			Revision revision = this.history.at(object, mark.at());
			Body body = (revision != null) ? revision.body() : null;
			if (revision == null || body == null) {
				continue;
			}
			ObjectRef main = this.ring.isMain(object) ? object
					: this.ring.isControlled(object) ? this.ring.mainOf(object, body.controller()) : null;
			String expected = (main != null) ? owners.owner(this.ring.key(main)) : null;
			String actual = revision.label(this.ring.shardLabel());
			if (expected != null && !expected.equals(actual) && this.wrong.add(object)) {
				this.findings.add(Counter.WRONG_OWNER, mark.at(),
						"%s has label '%s' at the end of step '%s', the ring of %s says %s; last request: %s".formatted(
								object, actual, mark.step(), this.membership.at(mark.at()), expected,
								revision.cause()));
			}
		}
	}

	/** For each step, by the mark that begins it, how many objects got another owner. */
	private Map<Mark, Integer> ownerChanges() {
		Map<Mark, Integer> changes = new HashMap<>();
		for (ObjectRef object : this.history.objects()) {
			if (!this.ring.isMain(object)) {
				continue;
			}
			Set<Mark> counted = new HashSet<>();
			String owner = "";
			for (Revision revision : this.history.of(object)) {
				String next = revision.label(this.ring.shardLabel());
				if (!next.isEmpty() && !next.equals(owner)) {
					owner = next;
					Mark step = stepAt(revision.completed());
					if (counted.add(step)) {
						changes.merge(step, 1, Integer::sum);
					}
				}
			}
		}
		return changes;
	}

	private Mark stepAt(Instant time) {
		Mark step = new Mark(Instant.MIN, "start", false);
		for (Mark mark : this.marks) {
			if (!mark.quiescent() && !mark.at().isAfter(time)) {
				step = mark;
			}
		}
		return step;
	}

	private void judgeGaps(ObjectRef object, Map<Mark, Integer> changes) {
		List<Revision> visible = this.history.visible(object);
		NavigableSet<Instant> times = new TreeSet<>();
		visible.forEach((revision) -> times.add(revision.completed()));
		if (times.isEmpty()) {
			return;
		}
		times.addAll(this.membership.changes(times.first(), this.end));
		times.add(this.end);
		Instant gapFrom = null;
		for (Instant time : times) {
			boolean unowned = time.isBefore(this.end) && unowned(visible, time);
			if (unowned && gapFrom == null) {
				gapFrom = time;
			}
			else if (!unowned && gapFrom != null) {
				judgeGap(object, gapFrom, time, changes);
				gapFrom = null;
			}
		}
	}

	/** Whether the object exists and waits for an owner although a shard is available. */
	private boolean unowned(List<Revision> visible, Instant time) {
		@Nullable Revision current = null;
		for (Revision revision : visible) {
			if (!revision.completed().isAfter(time)) {
				current = revision;
			}
		}
		Set<String> shards = this.membership.at(time);
		return current != null && current.body() != null && !shards.isEmpty()
				&& !shards.contains(current.label(this.ring.shardLabel()));
	}

	private void judgeGap(ObjectRef object, Instant from, Instant to, Map<Mark, Integer> changes) {
		Mark step = stepAt(from);
		int changed = changes.getOrDefault(step, 0);
		Duration allowed = this.grace.plus(GRACE_FOR_EACH_CHANGE.multipliedBy(changed));
		Duration gap = Duration.between(from, to);
		if (gap.compareTo(allowed) > 0) {
			this.findings.add(Counter.UNASSIGNED, to,
					"%s had no available owner for %d ms from %s in step '%s' (%d objects changed owner: %d ms allowed)"
						.formatted(object, gap.toMillis(), from, step.step(), changed, allowed.toMillis()));
		}
	}

}
