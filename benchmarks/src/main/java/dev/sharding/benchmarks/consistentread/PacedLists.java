package dev.sharding.benchmarks.consistentread;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntSupplier;

/**
 * As the KEP measures: lists at a fixed rate, and the CPU time that API server and etcd
 * take for them.
 */
final class PacedLists {

	/** No lists, to see what the servers consume for themselves. */
	private static final String NONE = "none";

	/** CPU time is told in ticks of ten milliseconds. */
	private static final double LEAST_MILLIS = 50;

	private final FixedRate rate;

	private final Results results;

	private double waitP99Millis;

	PacedLists(FixedRate rate, Results results) {
		this.rate = rate;
		this.results = results;
	}

	/**
	 * Measures all kinds of lists in turns.
	 * @param kinds with {@code direct} and {@code validated} among them
	 * @param perSecond lists of each
	 * @param objects which are listed
	 * @param world what else happens in the cluster
	 */
	void measure(Readers readers, Map<String, IntSupplier> kinds, int perSecond, String objects, String world) {
		kinds.values().forEach((read) -> readers.measure(read, 1, () -> {
		}));
		readers.probeShare();
		Map<String, Sample> samples = new LinkedHashMap<>();
		for (int round = 0; round < this.rate.rounds(); round++) {
			samples.merge(NONE, this.rate.turn(null, perSecond, readers::consumed), Sample::and);
			kinds.forEach((kind, read) -> samples.merge(kind, this.rate.turn(read, perSecond, readers::consumed),
					Sample::and));
		}
		double wait = readers.waitP99Millis();
		this.waitP99Millis = Math.max(this.waitP99Millis, wait);
		this.results.number("waitP99Millis" + objects + world, wait);
		samples.forEach((kind, sample) -> this.results.table().add(objects, world, perSecond + "/s", kind, sample));
		ratio("cpuRatio" + objects + world, samples);
	}

	/** The longest of all waits that were measured. */
	double waitP99Millis() {
		return this.waitP99Millis;
	}

	/* What the servers do without any list is no matter of lists. */
	private void ratio(String name, Map<String, Sample> samples) {
		Sample none = Objects.requireNonNull(samples.get(NONE));
		Sample direct = Objects.requireNonNull(samples.get("direct"));
		Sample validated = Objects.requireNonNull(samples.get("validated"));
		if (direct.serverMillisBeyond(none) < LEAST_MILLIS) {
			this.results.leaveOut(name);
			return;
		}
		this.results.number(name, Math.max(0, perRead(validated, none)) / perRead(direct, none));
	}

	private static double perRead(Sample sample, Sample none) {
		return sample.serverMillisBeyond(none) / sample.millis().length;
	}

}
