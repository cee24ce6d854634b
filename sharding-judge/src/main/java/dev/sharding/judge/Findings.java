package dev.sharding.judge;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What was found for each counter: one sentence a finding. */
final class Findings {

	private final Map<Counter, List<Finding>> found = new EnumMap<>(Counter.class);

	private final List<String> explained = new ArrayList<>();

	private final Instant since;

	private final Restores restores;

	/**
	 * @param since what happened before is not a finding
	 */
	Findings(Instant since) {
		this(since, new Restores(new TreeMap<>()));
	}

	/**
	 * @param since what happened before is not a finding
	 * @param restores when the store was restored, which leaves some things unjudged
	 */
	Findings(Instant since, Restores restores) {
		this.since = since;
		this.restores = restores;
	}

	/**
	 * Adds a finding.
	 * @param at when it happened
	 */
	void add(Counter counter, Instant at, String sentence) {
		if (!at.isBefore(this.since) && !this.restores.covers(at)) {
			this.found.computeIfAbsent(counter, (key) -> new ArrayList<>()).add(new Finding(counter, at, sentence));
		}
	}

	/** Adds what is no finding, but worth a line. */
	void explain(Instant at, String sentence) {
		if (!at.isBefore(this.since)) {
			this.explained.add(sentence);
		}
	}

	/**
	 * Adds what was found elsewhere, such as for another ring. What is of no ring, or of
	 * several, is found for each of them and counts once.
	 */
	void add(Findings other) {
		other.found.forEach((counter, found) -> {
			List<Finding> all = this.found.computeIfAbsent(counter, (key) -> new ArrayList<>());
			found.stream().filter((finding) -> !all.contains(finding)).forEach(all::add);
		});
		this.explained.addAll(other.explained);
	}

	List<String> of(Counter counter) {
		return this.found.getOrDefault(counter, List.of()).stream().map(Finding::sentence).toList();
	}

	/** Everything that was found, by counter. */
	List<Finding> list() {
		return this.found.values().stream().flatMap(List::stream).toList();
	}

	boolean clean() {
		return this.found.isEmpty();
	}

	/** All sentences by counter; a counter of zero is absent. */
	Map<Counter, List<String>> all() {
		Map<Counter, List<String>> all = new EnumMap<>(Counter.class);
		this.found.keySet().forEach((counter) -> all.put(counter, of(counter)));
		return all;
	}

	/** The verdict as one JSON object. */
	String json() {
		return Stream.of(Counter.values())
			.map((counter) -> "\"" + counter.key() + "\":" + of(counter).size())
			.collect(Collectors.joining(",", "{", "}"));
	}

	/** The verdict for people: each counter, and below it all that was found. */
	String report() {
		StringBuilder report = new StringBuilder();
		for (Counter counter : Counter.values()) {
			List<String> found = of(counter);
			report.append("%-20s %d%n".formatted(counter.key(), found.size()));
			found.forEach((sentence) -> report.append("    ").append(sentence).append('\n'));
		}
		if (!this.explained.isEmpty()) {
			report.append("late without harm, as was to be expected: %d%n".formatted(this.explained.size()));
			this.explained.forEach((sentence) -> report.append("    ").append(sentence).append('\n'));
		}
		return report.toString();
	}

}
