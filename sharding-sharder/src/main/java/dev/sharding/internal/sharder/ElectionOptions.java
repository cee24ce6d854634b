package dev.sharding.internal.sharder;

import dev.sharding.internal.core.lease.RenewalTimings;

/**
 * How the sharders of a cluster elect the one that acts. All of them, the Go project's
 * included, must want the same Lease.
 *
 * @param enabled whether there is an election at all; without one, whoever runs the
 * sharder sees to it that there is a single process
 * @param namespace namespace of the Lease
 * @param leaseName name of the Lease
 * @param timings how long the Lease lasts and when it is renewed
 */
public record ElectionOptions(boolean enabled, String namespace, String leaseName, RenewalTimings timings) {

	/** Lease {@code sharder} in {@code sharding-system}, 15 s, 10 s and 2 s. */
	public static final ElectionOptions DEFAULT = new ElectionOptions(true, "sharding-system", "sharder",
			RenewalTimings.DEFAULTS);

	public ElectionOptions {
		if (namespace.isEmpty() || leaseName.isEmpty()) {
			throw new IllegalArgumentException("'namespace' and 'leaseName' must not be empty (are '%s' and '%s')"
				.formatted(namespace, leaseName));
		}
	}

	/**
	 * These options with another Lease.
	 * @param other the namespace of the Lease
	 * @return the options
	 */
	public ElectionOptions withNamespace(String other) {
		return new ElectionOptions(this.enabled, other, this.leaseName, this.timings);
	}

	/**
	 * These options with other timings.
	 * @param other how long the Lease lasts and when it is renewed
	 * @return the options
	 */
	public ElectionOptions withTimings(RenewalTimings other) {
		return new ElectionOptions(this.enabled, this.namespace, this.leaseName, other);
	}

}
