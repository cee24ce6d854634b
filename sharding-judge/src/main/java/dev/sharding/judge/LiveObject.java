package dev.sharding.judge;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * An object as the API answers it at the end.
 *
 * @param ref which object
 * @param uid its uid
 * @param resourceVersion its version
 * @param controllerUid uid in its controller reference, null without one
 * @param deleting whether it is deleted, and waits for its finalizers
 * @param labels its labels
 * @param data its {@code data}, as on the wire
 */
record LiveObject(ObjectRef ref, String uid, String resourceVersion, @Nullable String controllerUid, boolean deleting,
		Map<String, String> labels, Map<String, String> data) {
}
