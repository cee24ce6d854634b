package dev.sharding.internal.kubernetes.qos;

import java.util.EnumSet;
import java.util.Set;

import dev.sharding.internal.core.qos.ListSize;
import dev.sharding.internal.core.qos.Prediction;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Measure;
import dev.sharding.qos.spi.Measures;
import dev.sharding.qos.spi.QosRule;
import org.jspecify.annotations.Nullable;

/**
 * What is known about one request and about the server. Of objects it asks only when a
 * rule wants to know, so that nothing is counted for nobody.
 */
final class KnownMeasures implements Measures {

	/* What earlier requests of a shape tell. */
	private static final Set<Measure> PREDICTED = EnumSet.of(Measure.PREDICTED_ITEMS, Measure.UNPAGED_ITEMS,
			Measure.RESPONSE_SIZE, Measure.TOTAL_TRAFFIC, Measure.LATENCY, Measure.FAILED_REQUESTS);

	private static final Set<Cost> PREDICTED_COSTS = EnumSet.of(Cost.FAILED_REQUESTS, Cost.TRAFFIC_BYTES, Cost.ITEMS,
			Cost.WALL_TIME);

	private final double requestBytes;

	private final @Nullable Prediction prediction;

	private final ServerSigns server;

	private final @Nullable PredictedList list;

	private double returned = Double.NaN;

	/**
	 * Creates them.
	 * @param list how large the list is, {@code null} for what is none
	 */
	KnownMeasures(double requestBytes, @Nullable PredictedList list, @Nullable Prediction prediction,
			ServerSigns server) {
		this.list = list;
		this.requestBytes = requestBytes;
		this.prediction = prediction;
		this.server = server;
	}

	/** Whether a rule looks at what earlier requests of a shape cost. */
	static boolean looksAtPredictions(QosRule rule) {
		return PREDICTED_COSTS.contains(rule.cost())
				|| rule.conditions().stream().anyMatch((condition) -> PREDICTED.contains(condition.measure()));
	}

	@Override
	public double value(Measure measure) {
		return switch (measure) {
			case REQUEST_SIZE -> this.requestBytes;
			case STORAGE_USED -> this.server.storageUsed();
			case SERVER_PRESSURE -> this.server.pressure();
			case PREDICTED_ITEMS -> (this.list != null) ? asked(this.list, false) : seenItems();
			case UNPAGED_ITEMS -> (this.list != null) ? asked(this.list, true) : seenItems();
			default -> (this.prediction != null) ? predicted(measure, this.prediction) : Double.NaN;
		};
	}

	@Override
	public double itemShare() {
		return (this.list != null) ? this.list.itemShare() : 1;
	}

	private double asked(PredictedList predicted, boolean answer) {
		double objects = predicted.objects(this.prediction);
		double most = predicted.size().returned(objects);
		if (!predicted.size().selects()) {
			this.returned = most;
		}
		return answer ? most : predicted.size().read(objects);
	}

	/**
	 * How many objects the answer was predicted to hold, where that was asked for or is
	 * known; NaN for what is selected, of which only the number that is read is known.
	 */
	double answered() {
		return (this.list == null) ? seenItems() : this.returned;
	}

	private double seenItems() {
		return (this.prediction != null) ? this.prediction.items() : Double.NaN;
	}

	private double predicted(Measure measure, Prediction known) {
		return switch (measure) {
			case RESPONSE_SIZE -> known.responseBytes();
			case TOTAL_TRAFFIC -> this.requestBytes + known.responseBytes();
			case LATENCY -> known.latencyMillis();
			case FAILED_REQUESTS -> known.failures();
			default -> Double.NaN;
		};
	}

	/**
	 * The size of one list, by what is counted, else by what was seen.
	 *
	 * @param size what it asks for
	 * @param itemShare what one object costs, 1 in full
	 * @param counts counts collections
	 * @param path the collection
	 * @param unknown what stands for a number of which nothing is known
	 */
	record PredictedList(ListSize size, double itemShare, ObjectCounts counts, String path, double unknown) {

		double objects(@Nullable Prediction seen) {
			double counted = this.counts.of(this.path);
			if (!Double.isNaN(counted)) {
				return counted;
			}
			double before = (seen != null) ? seen.items() : Double.NaN;
			return this.counts.isAsking() ? this.size.uncounted(before, this.unknown) : before;
		}

	}

}
