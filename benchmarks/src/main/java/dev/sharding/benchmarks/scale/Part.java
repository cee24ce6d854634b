package dev.sharding.benchmarks.scale;

import dev.sharding.benchmarks.cluster.Figures;

/** A part of the benchmark, which needs nothing of the others. */
@FunctionalInterface
interface Part {

	/**
	 * Runs.
	 * @param stage a new one
	 * @param figures gets the results
	 */
	void run(Stage stage, Figures figures) throws Exception;

}
