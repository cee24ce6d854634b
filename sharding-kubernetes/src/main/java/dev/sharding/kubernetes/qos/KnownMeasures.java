package dev.sharding.kubernetes.qos;

import dev.sharding.core.qos.Measure;
import dev.sharding.core.qos.Measures;
import dev.sharding.core.qos.Prediction;
import org.jspecify.annotations.Nullable;

/**
 * What is known about one request and about the server.
 */
final class KnownMeasures implements Measures {

	private final double requestBytes;

	private final @Nullable Prediction prediction;

	private final ServerSigns server;

	private final boolean paged;

	KnownMeasures(double requestBytes, boolean paged, @Nullable Prediction prediction, ServerSigns server) {
		this.paged = paged;
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
			default -> (this.prediction != null) ? predicted(measure, this.prediction) : Double.NaN;
		};
	}

	private double predicted(Measure measure, Prediction known) {
		return switch (measure) {
			case PREDICTED_ITEMS -> known.items();
			case UNPAGED_ITEMS -> this.paged ? Double.NaN : known.items();
			case RESPONSE_SIZE -> known.responseBytes();
			case TOTAL_TRAFFIC -> this.requestBytes + known.responseBytes();
			case LATENCY -> known.latencyMillis();
			case FAILED_REQUESTS -> known.failures();
			default -> Double.NaN;
		};
	}

}
