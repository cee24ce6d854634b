package dev.sharding.benchmarks.runtime;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

import dev.sharding.benchmarks.cluster.Spread;

/**
 * A key of the result: a figure of ours, to that of another contender in the same run.
 *
 * @param key its name in the result
 * @param figure what is compared
 * @param other the name of the other contender
 */
record Ratio(String key, Figure figure, String other) {

	static final List<Ratio> ALL = List.of(new Ratio("startRatio", Figure.START_MILLIS, "javaOperatorSdk"),
			new Ratio("cpuRatio", Figure.START_CPU_MILLIS, "javaOperatorSdk"),
			new Ratio("startRatioSameFlags", Figure.START_MILLIS, "javaOperatorSdkSameFlags"),
			new Ratio("cpuRatioSameFlags", Figure.START_CPU_MILLIS, "javaOperatorSdkSameFlags"),
			new Ratio("startRatioGo", Figure.START_MILLIS, "controllerRuntime"),
			new Ratio("cpuRatioGo", Figure.START_CPU_MILLIS, "controllerRuntime"),
			new Ratio("p99Ratio", Figure.P99_MILLIS, "javaOperatorSdk"),
			new Ratio("firstMinuteP99Ratio", Figure.FIRST_P99_MILLIS, "javaOperatorSdk"),
			new Ratio("rssRatio", Figure.RSS_MIB, "javaOperatorSdk"),
			new Ratio("rssRatioGo", Figure.RSS_MIB, "controllerRuntime"),
			new Ratio("heapRatio", Figure.HEAP_MIB, "javaOperatorSdk"),
			new Ratio("startRatioBare", Figure.START_MILLIS, "bareClient"),
			new Ratio("cpuRatioBare", Figure.START_CPU_MILLIS, "bareClient"),
			new Ratio("changesCpuRatioBare", Figure.CHANGES_CPU_MILLIS, "bareClient"),
			new Ratio("p99RatioBare", Figure.P99_MILLIS, "bareClient"),
			new Ratio("rssRatioBare", Figure.RSS_MIB, "bareClient"),
			new Ratio("startRatioJdkTls", Figure.START_MILLIS, "jdkTls"),
			new Ratio("cpuRatioJdkTls", Figure.START_CPU_MILLIS, "jdkTls"),
			new Ratio("changesCpuRatioJdkTls", Figure.CHANGES_CPU_MILLIS, "jdkTls"),
			new Ratio("p99RatioJdkTls", Figure.P99_MILLIS, "jdkTls"),
			new Ratio("rssRatioJdkTls", Figure.RSS_MIB, "jdkTls"));

	/**
	 * The ratios of all runs.
	 * @param ours figures of ours, one element a run
	 * @param theirs figures of the other, in the same order
	 */
	Spread of(List<Map<Figure, Double>> ours, List<Map<Figure, Double>> theirs) {
		return Spread.of(IntStream.range(0, ours.size())
			.mapToObj((run) -> value(ours.get(run)) / value(theirs.get(run)))
			.toList());
	}

	private double value(Map<Figure, Double> figures) {
		return Objects.requireNonNull(figures.get(this.figure), this.figure.key());
	}

}
