package dev.sharding.benchmarks.runtime;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

import dev.sharding.benchmarks.cluster.Spread;

/**
 * A key of the result: a figure of one contender, to that of another in the same run.
 *
 * @param key its name in the result
 * @param figure what is compared
 * @param one the name of the one contender
 * @param other the name of the other contender
 */
record Ratio(String key, Figure figure, String one, String other) {

	private static final String OURS = "ours";

	private static final String SHARDED = "javaOperatorSdkSharded";

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
			new Ratio("rssRatioJdkTls", Figure.RSS_MIB, "jdkTls"),
			new Ratio("shardedStartRatio", Figure.START_MILLIS, SHARDED, "javaOperatorSdk"),
			new Ratio("shardedCpuRatio", Figure.START_CPU_MILLIS, SHARDED, "javaOperatorSdk"),
			new Ratio("shardedFirstMinuteP99Ratio", Figure.FIRST_P99_MILLIS, SHARDED, "javaOperatorSdk"),
			new Ratio("shardedP99Ratio", Figure.P99_MILLIS, SHARDED, "javaOperatorSdk"),
			new Ratio("shardedChangesCpuRatio", Figure.CHANGES_CPU_MILLIS, SHARDED, "javaOperatorSdk"),
			new Ratio("shardedRssRatio", Figure.RSS_MIB, SHARDED, "javaOperatorSdk"),
			new Ratio("shardedHeapRatio", Figure.HEAP_MIB, SHARDED, "javaOperatorSdk"));

	/** A figure of ours. */
	Ratio(String key, Figure figure, String other) {
		this(key, figure, OURS, other);
	}

	/**
	 * The ratios of all runs.
	 * @param ours figures of the one, one element a run
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
