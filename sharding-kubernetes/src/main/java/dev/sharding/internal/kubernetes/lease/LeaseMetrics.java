package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import dev.sharding.internal.kubernetes.usercode.UserCode;

/**
 * The meters of one Lease, tagged with its namespace and name.
 */
final class LeaseMetrics {

	private static final String PREFIX = "sharding.lease.";

	private final MeterRegistry registry;

	private final Gauge held;

	private final Timer renewals;

	private final Counter failures;

	private final Counter losses;

	LeaseMetrics(MeterRegistry registry, String namespace, String name, BooleanSupplier held) {
		Tags tags = Tags.of("namespace", namespace, "lease", name);
		this.renewals = Timer.builder(PREFIX + "renewals")
			.description("Successful writes of the Lease: acquires and renewals")
			.tags(tags)
			.register(registry);
		this.failures = Counter.builder(PREFIX + "failures")
			.description("Calls for the Lease that failed, conflicts aside")
			.tags(tags)
			.register(registry);
		this.losses = Counter.builder(PREFIX + "losses")
			.description("Terms that ended other than by release")
			.tags(tags)
			.register(registry);
		this.registry = registry;
		this.held = Gauge.builder(PREFIX + "held", held, (supplier) -> supplier.getAsBoolean() ? 1 : 0)
			.description("1 while this process holds the Lease")
			.tags(tags)
			.strongReference(true)
			.register(registry);
	}

	void written(Duration took) {
		UserCode.aside(() -> this.renewals.record(took));
	}

	void failed() {
		UserCode.aside(this.failures::increment);
	}

	void lost() {
		UserCode.aside(this.losses::increment);
	}

	/** Makes room for the gauge of the next holder of this Lease. */
	void close() {
		this.registry.remove(this.held);
	}

}
