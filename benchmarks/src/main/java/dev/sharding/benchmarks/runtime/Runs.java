package dev.sharding.benchmarks.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;

import dev.sharding.benchmarks.cluster.Spread;

/** The figures of all runs, and what they come to. */
final class Runs {

	private final Map<String, List<Map<Figure, Double>>> figures = new LinkedHashMap<>();

	void add(Contender contender, Map<Figure, Double> measured) {
		this.figures.computeIfAbsent(contender.name(), (name) -> new ArrayList<>()).add(measured);
	}

	/** For people: the figures of one process. */
	static String text(Map<Figure, Double> measured) {
		StringBuilder text = new StringBuilder();
		measured.forEach((figure, value) -> text.append(String.format(Locale.ROOT, " %s=%.0f", figure.key(), value)));
		return text.toString();
	}

	/** For people: each ratio with its spread. */
	String text() {
		StringJoiner lines = new StringJoiner("\n");
		ratios().forEach((key, spread) -> lines.add("  " + key + " " + spread));
		return lines.toString();
	}

	/**
	 * Without the braces: the medians, their spread, and the figures of each contender.
	 */
	String json() {
		StringJoiner medians = new StringJoiner(",");
		StringJoiner spreads = new StringJoiner(",", "{", "}");
		ratios().forEach((key, spread) -> {
			medians.add(String.format(Locale.ROOT, "\"%s\":%.2f", key, spread.median()));
			spreads.add(String.format(Locale.ROOT, "\"%s\":[%.2f,%.2f]", key, spread.least(), spread.most()));
		});
		medians.add("\"spread\":" + spreads);
		this.figures.forEach((name, runs) -> medians.add("\"" + name + "\":" + json(runs)));
		return medians.toString();
	}

	/* Of each figure the least, the median and the most. */
	private static String json(List<Map<Figure, Double>> runs) {
		StringJoiner json = new StringJoiner(",", "{", "}");
		Arrays.stream(Figure.values()).filter(runs.get(0)::containsKey).forEach((figure) -> {
			Spread spread = Spread.of(runs.stream().map((run) -> Objects.requireNonNull(run.get(figure))).toList());
			json.add(String.format(Locale.ROOT, "\"%s\":[%.1f,%.1f,%.1f]", figure.key(), spread.least(),
					spread.median(), spread.most()));
		});
		return json.toString();
	}

	private Map<String, Spread> ratios() {
		Map<String, Spread> ratios = new LinkedHashMap<>();
		for (Ratio ratio : Ratio.ALL) {
			List<Map<Figure, Double>> ones = this.figures.get(ratio.one());
			List<Map<Figure, Double>> others = this.figures.get(ratio.other());
			if (ones != null && others != null) {
				ratios.put(ratio.key(), ratio.of(ones, others));
			}
		}
		return ratios;
	}

}
