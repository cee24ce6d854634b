package dev.sharding.internal.autoconfigure.settings;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.shard.RuntimeOptions;

/**
 * How long a stop may take, and how long Spring waits for it. A stop that Spring does not
 * wait for leaves the Lease to run out by itself.
 *
 * @param reconciles how long to wait for the reconciles that run
 * @param release how long the release of the Lease may take
 * @param phase how long Spring waits for one phase of the shutdown
 */
public record StopTimes(Duration reconciles, Duration release, Duration phase) {

	private static final Logger logger = LoggerFactory.getLogger(StopTimes.class);

	private static final String PHASE = "spring.lifecycle.timeout-per-shutdown-phase";

	private static final Duration DEFAULT_PHASE = Duration.ofSeconds(30);

	public static StopTimes of(Environment environment, RuntimeOptions options, RenewalTimings timings) {
		Duration phase = Binder.get(environment).bind(PHASE, Duration.class).orElse(DEFAULT_PHASE);
		return new StopTimes(options.stopTimeout(), timings.renewDeadline(), phase);
	}

	boolean fit() {
		return this.reconciles.plus(this.release).compareTo(this.phase) <= 0;
	}

	public void warnIfTooShort() {
		if (!fit()) {
			logger.warn(
					"A stop may take longer than Spring waits for it, and then the Lease is not released:"
							+ " 'sharding.reconcile.stop-timeout' and 'sharding.lease.renew-deadline' together must"
							+ " not exceed '{}' (are {} ms and {} ms, not within {} ms)",
					PHASE, this.reconciles.toMillis(), this.release.toMillis(), this.phase.toMillis());
		}
	}

}
