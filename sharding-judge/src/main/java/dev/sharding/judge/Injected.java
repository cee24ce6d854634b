package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** What whoever drives the run says that it did to it, from its marks. */
final class Injected {

	private final List<Window> stops = new ArrayList<>();

	private final List<Window> disturbances = new ArrayList<>();

	/** The disturbances of which no mark says that they ended. */
	private final List<Window> open = new ArrayList<>();

	private int workers;

	Injected(List<Mark> marks) {
		Map<String, Mark> stopped = new HashMap<>();
		Map<String, Mark> disturbed = new HashMap<>();
		for (Mark mark : marks) {
			switch (mark.phase()) {
				case STOPPED -> stopped.putIfAbsent(mark.subject(), mark);
				case RESUMED -> end(stopped, mark, this.stops);
				case DISTURBED -> disturbed.putIfAbsent(mark.subject(), mark);
				case CALM -> end(disturbed, mark, this.disturbances);
				case QUIESCENT -> endAll(stopped, disturbed, mark.at());
				case BEGIN -> this.workers = mark.workers();
				default -> {
					// It says nothing about what was done.
				}
			}
		}
		endAll(stopped, disturbed, Instant.MAX);
	}

	/**
	 * When all is quiet nobody is stopped or disturbed, whether a mark says so or not:
	 * who was stopped may have been killed, and who was disturbed should be calm.
	 */
	private void endAll(Map<String, Mark> stopped, Map<String, Mark> disturbed, Instant end) {
		stopped.values().forEach((mark) -> this.stops.add(Window.of(mark, end)));
		stopped.clear();
		disturbed.values().stream().map((mark) -> Window.of(mark, end)).forEach((window) -> {
			this.disturbances.add(window);
			this.open.add(window);
		});
		disturbed.clear();
	}

	private static void end(Map<String, Mark> begun, Mark end, List<Window> windows) {
		Mark begin = begun.remove(end.subject());
		if (begin != null) {
			windows.add(Window.of(begin, end.at()));
		}
	}

	/** Judges the marks themselves: {@code openExcuses}. */
	void judge(Findings findings) {
		this.open.forEach((window) -> findings.add(Counter.OPEN_EXCUSES, window.to(),
				"%s was disturbed from %s on, and no mark says that this was over by %s".formatted(window.subject(),
						window.from(), window.to().equals(Instant.MAX) ? "the end" : "the quiescent point")));
	}

	/**
	 * The stop of a process that may have delayed a request which should have been there
	 * by a moment, null if none can have.
	 * @param due by when the request was allowed
	 * @param received when it came
	 * @param latency how long a request takes that nobody delays
	 */
	@Nullable Window stopOf(String user, Instant due, Instant received, Duration latency) {
		for (Window stop : this.stops) {
			boolean concerned = stop.subject().equals(Mark.ALL) || user.equals(stop.subject())
					|| user.endsWith(":" + stop.subject());
			if (concerned && !due.isBefore(stop.from()) && !received.isBefore(stop.from())
					&& (stop.to().equals(Instant.MAX) || !received.isAfter(stop.to().plus(latency)))) {
				return stop;
			}
		}
		return null;
	}

	/** How many requests a process may have on their way at a time, 0 if nobody says. */
	int workers() {
		return this.workers;
	}

	/** What a process is called in a mark: its user, without what all of them have. */
	static String subject(String user) {
		return user.substring(user.lastIndexOf(':') + 1);
	}

	/** For how long of that time one of the subjects, or all, was disturbed. */
	Duration disturbed(Set<String> subjects, Instant from, Instant to) {
		List<Window> windows = this.disturbances.stream()
			.filter((window) -> window.subject().equals(Mark.ALL) || subjects.contains(window.subject()))
			.filter((window) -> window.from().isBefore(to) && window.to().isAfter(from))
			.sorted((a, b) -> a.from().compareTo(b.from()))
			.toList();
		Duration sum = Duration.ZERO;
		Instant counted = from;
		for (Window window : windows) {
			Instant begin = window.from().isAfter(counted) ? window.from() : counted;
			Instant end = window.to().isBefore(to) ? window.to() : to;
			if (begin.isBefore(end)) {
				sum = sum.plus(Duration.between(begin, end));
				counted = end;
			}
		}
		return sum;
	}

	/** A time in which something was done to a subject. */
	record Window(String subject, Instant from, Instant to, int workers) {

		static Window of(Mark begin, Instant end) {
			return new Window(begin.subject(), begin.at(), end, begin.workers());
		}

	}

}
