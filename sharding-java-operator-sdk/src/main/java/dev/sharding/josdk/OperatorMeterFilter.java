package dev.sharding.josdk;

import java.util.List;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

import dev.sharding.shard.Shard;

/**
 * Tells the meters of the operator in each shard from those in the others. The first of
 * them comes with the operator, and so after the shard.
 */
final class OperatorMeterFilter implements MeterFilter {

	private static final String OWN = "operator.sdk.";

	/** Of the second kind of its metrics, whose names could be anybody's. */
	private static final List<String> WITH_CONTROLLER = List.of("reconciliations.", "controllers.", "events.",
			"custom_resources");

	private static final String CONTROLLER = "controller.name";

	private final ObjectProvider<Shard> shard;

	/*
	 * Kept, as a reconcile may outlive its application: whoever asked for the shard then
	 * would have it made once more. Its name may be another one in each term.
	 */
	private volatile @Nullable Shard known;

	OperatorMeterFilter(ObjectProvider<Shard> shard) {
		this.shard = shard;
	}

	@Override
	public Meter.Id map(Meter.Id id) {
		if (!isOfOperator(id)) {
			return id;
		}
		Shard known = this.known;
		if (known == null) {
			known = this.shard.getIfAvailable();
			this.known = known;
		}
		return (known != null) ? id.withTags(Tags.of("ring", known.ring(), "shard", known.name())) : id;
	}

	/** Removes what an operator that is gone has measured. */
	static void forget(MeterRegistry meters) {
		meters.getMeters().stream().filter((meter) -> isOfOperator(meter.getId())).forEach(meters::remove);
	}

	private static boolean isOfOperator(Meter.Id id) {
		return id.getName().startsWith(OWN)
				|| (id.getTag(CONTROLLER) != null && WITH_CONTROLLER.stream().anyMatch(id.getName()::startsWith));
	}

}
