package dev.sharding.judge;

import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * Stores that were restored from a copy of themselves: what was written after the copy
 * was made never happened, as far as anybody can see who comes later. Nothing that
 * happens from the copy until all is calm again is judged: acknowledged writes are lost,
 * and nobody who decided on them can know.
 *
 * @param inconclusive the times in which nothing is judged: from when until when
 */
record Restores(NavigableMap<Instant, Instant> inconclusive) {

	/** By the marks of a run. */
	static Restores of(List<Mark> marks) {
		NavigableMap<Instant, Instant> windows = new TreeMap<>();
		Instant copied = null;
		Instant restored = null;
		for (Mark mark : marks) {
			if (mark.phase() == Mark.Phase.SNAPSHOT) {
				copied = mark.at();
			}
			else if (mark.phase() == Mark.Phase.RESTORED) {
				restored = mark.at();
			}
			else if (copied != null && restored != null && isOver(mark)) {
				// At the quiescent point itself all is judged.
				windows.put(copied, mark.quiescent() ? mark.at().minusNanos(1) : mark.at());
				copied = null;
				restored = null;
			}
		}
		if (copied != null && restored != null) {
			windows.put(copied, Instant.MAX);
		}
		return new Restores(windows);
	}

	private static boolean isOver(Mark mark) {
		return mark.quiescent() || mark.phase() == Mark.Phase.CALM && mark.subject().equals(Mark.ALL);
	}

	/** Whether what happened then is not judged. What is so at the end always is. */
	boolean covers(Instant time) {
		Map.Entry<Instant, Instant> window = this.inconclusive.floorEntry(time);
		return window != null && !time.isAfter(window.getValue()) && !time.equals(Instant.MAX);
	}

	/** The log without what was undone. Marks stay: they say what was. */
	static List<AuditEvent> withoutUndone(List<AuditEvent> events) {
		List<AuditEvent> left = events;
		Mark copied = null;
		for (Mark mark : Mark.of(events)) {
			if (mark.phase() == Mark.Phase.SNAPSHOT) {
				copied = mark;
			}
			else if (mark.phase() == Mark.Phase.RESTORED && copied != null) {
				String[] subject = mark.subject().split(" ");
				left = withoutUndone(left, copied.at(), Instant.parse(subject[1]), new BigInteger(subject[0]));
				copied = null;
			}
		}
		return left;
	}

	private static List<AuditEvent> withoutUndone(List<AuditEvent> events, Instant copied, Instant stopped,
			BigInteger version) {
		List<AuditEvent> left = new ArrayList<>();
		for (AuditEvent event : events) {
			boolean before = event.received().isBefore(stopped);
			@Nullable BigInteger stored = event.version();
			boolean undone = before && event.mutating() && !event.object().name().equals(Mark.NAME)
					&& ((stored != null) ? stored.compareTo(version) > 0 : event.received().isAfter(copied));
			if (!undone) {
				left.add(event);
			}
		}
		return left;
	}

}
