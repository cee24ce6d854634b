package dev.sharding.benchmarks.cluster;

import java.util.Locale;
import java.util.StringJoiner;

/** The result of a benchmark, as JSON: the last line of its output. */
public final class Figures {

	private final StringJoiner members;

	/**
	 * Creates a result without figures.
	 * @param bench the name of the benchmark
	 */
	public Figures(String bench) {
		this.members = new StringJoiner(",", "{\"bench\":\"" + bench + "\",", "}");
	}

	/** Adds a figure, and tells it on stderr. */
	public void put(String key, long value) {
		add(key, Long.toString(value));
	}

	/** Adds a figure with two decimals. */
	public void put(String key, double value) {
		add(key, String.format(Locale.ROOT, "%.2f", value));
	}

	/** Adds a text. */
	public void put(String key, String value) {
		add(key, '"' + value + '"');
	}

	private void add(String key, String value) {
		System.err.println("  " + key + " " + value);
		this.members.add('"' + key + "\":" + value);
	}

	@Override
	public String toString() {
		return this.members.toString();
	}

}
