package dev.sharding.judge;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What the judge keeps of an object that it met in the audit log.
 *
 * @param name name of the object, empty if it has none
 * @param resourceVersion empty if it has none
 * @param labels its labels
 * @param controller its controller reference
 * @param stamp from which version of its main object it says that it was made, empty if
 * it does not say
 * @param lease what it says as a Lease
 * @param gone true if it waits for nothing more before it is removed: a deletion time
 * stamp and no finalizer
 * @param data data of a ConfigMap; of a Secret the checksum of each value
 */
record Body(String name, String resourceVersion, Map<String, String> labels, @Nullable ControllerReference controller,
		String stamp, LeaseRecord lease, boolean gone, Map<String, String> data) {

	String holder() {
		return this.lease.holder();
	}

	int durationSeconds() {
		return this.lease.durationSeconds();
	}

}
