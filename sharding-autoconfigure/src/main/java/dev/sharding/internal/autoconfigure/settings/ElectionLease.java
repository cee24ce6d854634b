package dev.sharding.internal.autoconfigure.settings;

import org.springframework.core.env.Environment;

/**
 * The Lease by which sharders elect their leader, which says whether that one leaves
 * slots to their next holder.
 *
 * @param namespace its namespace
 * @param name its name
 */
public record ElectionLease(String namespace, String name) {

	static final ElectionLease DEFAULT = new ElectionLease("sharding-system", "sharder");

	private static final String PREFIX = "sharding.sharder.leader-election.";

	/** The one that a sharder in this application would have. */
	public static ElectionLease of(Environment environment) {
		return new ElectionLease(environment.getProperty(PREFIX + "namespace", DEFAULT.namespace()),
				environment.getProperty(PREFIX + "lease-name", DEFAULT.name()));
	}

}
