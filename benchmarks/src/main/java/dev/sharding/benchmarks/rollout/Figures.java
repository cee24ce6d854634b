package dev.sharding.benchmarks.rollout;

import java.util.Locale;
import java.util.StringJoiner;

/** The result, as JSON. */
final class Figures {

	private final StringJoiner members = new StringJoiner(",", "{\"bench\":\"rollout\",", "}");

	void put(String key, long value) {
		add(key, Long.toString(value));
	}

	void put(String key, double value) {
		add(key, String.format(Locale.ROOT, "%.2f", value));
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
