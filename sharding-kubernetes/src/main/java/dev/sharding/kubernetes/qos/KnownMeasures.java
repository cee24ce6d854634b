package dev.sharding.kubernetes.qos;

import dev.sharding.core.qos.ListSize;
import dev.sharding.core.qos.Measure;
import dev.sharding.core.qos.Measures;
import dev.sharding.core.qos.Prediction;
import org.jspecify.annotations.Nullable;

/**
 * What is known about one request and about the server. Of objects it asks only when a
 * rule wants to know, so that nothing is counted for nobody.
 */
final class KnownMeasures implements Measures {

	private final double requestBytes;

	private final @Nullable Prediction prediction;

	private final ServerSigns server;

	private final @Nullable PredictedList list;

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

	@Override
	public double value(Measure measure) {
		return switch (measure) {
			case REQUEST_SIZE -> this.requestBytes;
			case STORAGE_USED -> this.server.storageUsed();
			case SERVER_PRESSURE -> this.server.pressure();
			case PREDICTED_ITEMS -> (this.list != null) ? this.list.read(this.prediction) : seenItems();
			case UNPAGED_ITEMS -> (this.list != null) ? this.list.returned(this.prediction) : seenItems();
			default -> (this.prediction != null) ? predicted(measure, this.prediction) : Double.NaN;
		};
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
	 * @param counts counts collections
	 * @param path the collection
	 * @param unknown what stands for a number of which nothing is known
	 */
	record PredictedList(ListSize size, ObjectCounts counts, String path, double unknown) {

		double read(@Nullable Prediction seen) {
			return this.size.read(objects(seen));
		}

		double returned(@Nullable Prediction seen) {
			return this.size.returned(objects(seen));
		}

		private double objects(@Nullable Prediction seen) {
			double counted = this.counts.of(this.path);
			if (!Double.isNaN(counted)) {
				return counted;
			}
			double before = (seen != null) ? seen.items() : Double.NaN;
			return this.counts.isAsking() ? this.size.uncounted(before, this.unknown) : before;
		}

	}

}
