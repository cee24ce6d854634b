package dev.sharding.demo.chaos;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes down what was done to whom and when: for who looks on, into the file of what the
 * roles resolved to, and for the picture.
 */
final class Scribe {

	private final PrintStream out;

	private final Path resolution;

	private final Instant start = Instant.now();

	private final List<Story.Bar> bars = new ArrayList<>();

	private final Map<String, Instant> open = new LinkedHashMap<>();

	private final List<Violation> troubles = new ArrayList<>();

	private final Map<Kind, Integer> played = new EnumMap<>(Kind.class);

	private int left;

	Scribe(PrintStream out, Path resolution) {
		this.out = out;
		this.resolution = resolution;
	}

	synchronized void say(String line) {
		Duration running = Duration.between(this.start, Instant.now());
		this.out.printf("%3d:%02d  %s%n", running.toMinutes(), running.toSecondsPart(), line);
	}

	/** A process runs from now on. */
	synchronized void started(String process) {
		this.open.put(process, Instant.now());
	}

	/** A process does not run any more. */
	synchronized void ended(String process) {
		Instant from = this.open.remove(process);
		if (from != null) {
			this.bars.add(new Story.Bar(process, "run", from, Instant.now(), process));
		}
	}

	/** A fault was played, at what it waits for if that was seen. */
	synchronized void played(Planned fault, String who, Instant from, boolean seen) {
		this.played.merge(fault.kind(), 1, Integer::sum);
		this.bars.add(
				new Story.Bar(who, fault.kind().text(), from, Instant.now(), fault.kind().text() + " " + fault.role()));
		note(fault, who, from, seen, "", "");
	}

	/** Plays a fault, all of it: whoever it strikes must live through that. */
	void watch(Planned fault, Strike strike) {
		try {
			strike.run();
		}
		catch (Exception ex) {
			failed(fault, ex);
		}
	}

	private synchronized void failed(Planned fault, Exception why) {
		trouble(Violation.PROCESS,
				"%s %s did not come to its end: %s".formatted(fault.kind().text(), fault.role(), why));
		note(fault, "", Instant.now(), false, "", why.toString());
	}

	/** A fault found nobody to strike. */
	synchronized void left(Planned fault, String why) {
		this.left++;
		say("        " + fault.kind().text() + " " + fault.role() + " was left out: " + why);
		note(fault, "", Instant.now(), false, why, "");
	}

	/** Something is wrong that the judge need not see. */
	synchronized void trouble(String kind, String what) {
		say("WRONG   " + what);
		this.troubles.add(new Violation(Instant.now(), kind, what));
	}

	private void note(Planned fault, String who, Instant from, boolean seen, String leftOut, String failed) {
		String line = ScheduleLines.of(fault)
			.put("is", who)
			.put("seen", seen)
			.put("begin", from.toString())
			.put("end", Instant.now().toString())
			.put("leftOut", leftOut)
			.put("failed", failed)
			.toString();
		try {
			Files.writeString(this.resolution, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Failed to write " + this.resolution, ex);
		}
	}

	/** How often each kind of fault was played. */
	synchronized Map<Kind, Integer> played() {
		return Map.copyOf(this.played);
	}

	synchronized int left() {
		return this.left;
	}

	synchronized List<Violation> troubles() {
		return List.copyOf(this.troubles);
	}

	/** All that was done until now. */
	synchronized List<Story.Bar> bars() {
		List<Story.Bar> all = new ArrayList<>(this.bars);
		this.open.forEach((process, from) -> all.add(new Story.Bar(process, "run", from, Instant.now(), process)));
		return all;
	}

}
