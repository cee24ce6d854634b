package dev.sharding.benchmarks.consistentread;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What the benchmark prints in the end. */
final class Results {

	private final StringBuilder json = new StringBuilder("{\"bench\":\"consistent-read\"");

	private final List<String> leftOut = new ArrayList<>();

	private final Table table = new Table();

	Table table() {
		return this.table;
	}

	void number(String name, double value) {
		this.json.append(String.format(Locale.ROOT, ",\"%s\":%.4f", name, value));
	}

	/** This run is too small to tell a figure. */
	void leaveOut(String name) {
		this.leftOut.add(name);
	}

	/** Keeps the table and makes the JSON. */
	String finish() {
		this.table.keep();
		if (!this.leftOut.isEmpty()) {
			System.err.println("Left out: " + String.join(", ", this.leftOut));
		}
		return this.json
				+ this.leftOut.stream().map("\"%s\""::formatted).collect(Collectors.joining(",", ",\"leftOut\":[", "]"))
				+ ",\"table\":" + this.table.json() + "}";
	}

}
