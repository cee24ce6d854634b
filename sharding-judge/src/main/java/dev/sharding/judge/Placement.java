package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/** Judges where the objects were: {@code wrongOwner} and {@code unassigned}. */
final class Placement {

	/** How long an object may be without an available owner. */
	private static final Duration ASSIGNED_WITHIN = Duration.ofSeconds(1);

	private final RingUnderTest ring;

	private final History history;

	private final Membership membership;

	private final Leadership leadership;

	private final Injected injected;

	private final List<Mark> marks;

	private final Instant end;

	private final BareClient bareClient;

	private final Findings findings;

	private final Set<ObjectRef> wrong = new HashSet<>();

	private final List<Instant> moves = new ArrayList<>();

	/**
	 * @param marks the lines between the steps, in order
	 * @param end when the log ends
	 */
	Placement(RingUnderTest ring, History history, Membership membership, Leadership leadership, Injected injected,
			List<Mark> marks, Instant end, BareClient bareClient, Findings findings) {
		this.ring = ring;
		this.history = history;
		this.membership = membership;
		this.leadership = leadership;
		this.injected = injected;
		this.marks = marks;
		this.end = end;
		this.bareClient = bareClient;
		this.findings = findings;
	}

	void judge() {
		this.marks.stream().filter(Mark::quiescent).forEach(this::judgeOwners);
		List<ObjectRef> objects = this.history.objects().stream().filter(this.ring::isMain).toList();
		objects.forEach(this::addMoves);
		objects.forEach(this::judgeGaps);
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

	private void addMoves(ObjectRef object) {
		String owner = "";
		for (Revision revision : this.history.of(object)) {
			String next = revision.label(this.ring.shardLabel());
			if (!next.isEmpty() && !next.equals(owner)) {
				owner = next;
				this.moves.add(revision.completed());
			}
		}
	}

	private void judgeGaps(ObjectRef object) {
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
				judgeGap(object, gapFrom, time);
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
		boolean owned = current != null && this.membership.at(time).contains(current.label(this.ring.shardLabel()));
		return current != null && current.body() != null && !owned && !this.membership.heldAt(time).isEmpty();
	}

	private void judgeGap(ObjectRef object, Instant from, Instant to) {
		long moved = this.moves.stream().filter((move) -> move.isAfter(from) && !move.isAfter(to)).count();
		Duration excused = this.leadership.absent(from, to)
			.plus(this.injected.disturbed(Set.of(object.namespace() + "/" + object.name(), Mark.SHARDER), from, to));
		Duration allowed = ASSIGNED_WITHIN.plus(this.bareClient.allowance(from, to, moved)).plus(excused);
		Duration gap = Duration.between(from, to);
		if (gap.compareTo(allowed) > 0) {
			this.findings.add(Counter.UNASSIGNED, from.plus(allowed),
					"%s had no available owner for %d ms from %s (%d objects got an owner meanwhile: %d ms allowed)"
						.formatted(object, gap.toMillis(), from, moved, allowed.toMillis()));
		}
	}

}
