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
 * @param holder {@code spec.holderIdentity} of a Lease, empty if released
 * @param durationSeconds {@code spec.leaseDurationSeconds} of a Lease
 * @param gone true if it waits for nothing more before it is removed: a deletion time
 * stamp and no finalizer
 * @param mark data of the {@link Mark}, empty for all other objects
 */
record Body(String name, String resourceVersion, Map<String, String> labels, @Nullable ControllerReference controller,
		String holder, int durationSeconds, boolean gone, Map<String, String> mark) {
}
