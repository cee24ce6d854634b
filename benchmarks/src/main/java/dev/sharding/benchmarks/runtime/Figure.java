package dev.sharding.benchmarks.runtime;

/** What is measured of a process, by its key in the result. */
enum Figure {

	/** From the start of the process until all results were right. */
	START_MILLIS("startMillis"),

	/** CPU time until then. */
	START_CPU_MILLIS("startCpuMillis"),

	/**
	 * From the response to a change until its result was right, right after the start.
	 */
	FIRST_P50_MILLIS("firstMinuteP50Millis"), FIRST_P99_MILLIS("firstMinuteP99Millis"),

	/** The same, after the first changes. */
	P50_MILLIS("p50Millis"), P99_MILLIS("p99Millis"),

	/** CPU time of these later changes. */
	CHANGES_CPU_MILLIS("changesCpuMillis"),

	/** RSS after all changes. */
	RSS_MIB("rssMiB"),

	/** Live objects on the heap of a JVM then. */
	HEAP_MIB("heapMiB");

	private final String key;

	Figure(String key) {
		this.key = key;
	}

	String key() {
		return this.key;
	}

}
