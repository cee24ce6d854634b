package dev.sharding.benchmarks.qos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

import dev.sharding.benchmarks.qos.Neighbours.Outcome;
import dev.sharding.test.ControlPlane;

/**
 * A client alone, beside a limited neighbour and beside a runaway one, in turn: the
 * median of many short pairs, so that a stall of the machine spoils one of them only.
 *
 * @param protectedP99 p99 beside the limited neighbour by p99 alone
 * @param runawayP99 p99 beside the runaway neighbour by p99 alone
 * @param protectedCores what the API server spent beside the limited one
 * @param runawayCores what it spent beside the runaway one
 */
record Pairs(double protectedP99, double runawayP99, double protectedCores, double runawayCores) {

	/* What the lists of the limited one may return. */
	private static final double OBJECTS_PER_SECOND = 2_000;

	static Pairs measure(ControlPlane controlPlane, Neighbours neighbours, int pairs) throws IOException {
		List<Outcome> alone = new ArrayList<>();
		List<Outcome> limited = new ArrayList<>();
		List<Outcome> runaway = new ArrayList<>();
		try (Runaway slow = Runaway.start(controlPlane, OBJECTS_PER_SECOND);
				Runaway free = Runaway.start(controlPlane, 0)) {
			// Connections and compilers.
			neighbours.beside(slow);
			neighbours.beside(free);
			for (int i = 0; i < pairs; i++) {
				alone.add(report("Alone", neighbours.alone()));
				limited.add(report("Beside a limited client", neighbours.beside(slow)));
				runaway.add(report("Beside a runaway client", neighbours.beside(free)));
			}
		}
		return new Pairs(ratio(limited, alone), ratio(runaway, alone), median(limited, Outcome::serverCores),
				median(runaway, Outcome::serverCores));
	}

	private static double ratio(List<Outcome> beside, List<Outcome> alone) {
		List<Double> ratios = new ArrayList<>();
		for (int i = 0; i < alone.size(); i++) {
			ratios.add(beside.get(i).p99Millis() / alone.get(i).p99Millis());
		}
		return median(ratios, Double::doubleValue);
	}

	private static <T> double median(List<T> values, ToDoubleFunction<T> value) {
		double[] sorted = values.stream().mapToDouble(value).sorted().toArray();
		return sorted[sorted.length / 2];
	}

	private static Outcome report(String what, Outcome outcome) {
		System.err.printf("%s: p50 %.1f ms, p99 %.1f ms, API server %.2f cores, %d lists%n", what, outcome.p50Millis(),
				outcome.p99Millis(), outcome.serverCores(), outcome.lists());
		return outcome;
	}

}
