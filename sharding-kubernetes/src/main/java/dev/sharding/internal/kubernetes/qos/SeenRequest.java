package dev.sharding.internal.kubernetes.qos;

import java.time.Instant;

import dev.sharding.qos.spi.Measure;
import org.jspecify.annotations.Nullable;

/**
 * A request as the monitor shows it.
 *
 * @param sequence counts up by one for each
 * @param at when it ended, or was refused
 * @param request what it asked for, without query and body
 * @param controller the controller that made it, empty if none
 * @param rule the rule that limited it, or {@code null}
 * @param waitedMillis how long it waited for its turn
 * @param rejected whether it was not sent
 * @param items objects in its answer, or {@code null} if they were not counted
 * @param trafficBytes bytes of its body and its answer
 * @param latencyMillis milliseconds from sending it to its answer's last byte
 */
public record SeenRequest(long sequence, Instant at, String request, String controller, @Nullable String rule,
		double waitedMillis, boolean rejected, @Nullable Double items, double trafficBytes, double latencyMillis) {

	static @Nullable Double counted(double items) {
		return Double.isNaN(items) ? null : items;
	}

	/**
	 * Returns what of the request a filter compares.
	 * @param measure one of {@link Measure#PREDICTED_ITEMS} (here: the counted ones),
	 * {@link Measure#TOTAL_TRAFFIC} and {@link Measure#LATENCY}
	 * @return the value; {@link Double#NaN} if not known
	 */
	double value(Measure measure) {
		return switch (measure) {
			case PREDICTED_ITEMS -> (this.items != null) ? this.items : Double.NaN;
			case TOTAL_TRAFFIC -> this.trafficBytes;
			case LATENCY -> this.latencyMillis;
			default -> Double.NaN;
		};
	}

}
