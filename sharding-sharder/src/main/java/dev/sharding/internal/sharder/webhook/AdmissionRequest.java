package dev.sharding.internal.sharder.webhook;

import java.util.Map;

import dev.sharding.internal.core.key.ObjectIdentity;
import dev.sharding.resource.GroupResource;
import org.jspecify.annotations.Nullable;

/**
 * What the API server asks about.
 *
 * @param uid names the request, to be repeated in the answer
 * @param resource the resource of the object
 * @param object the object as it is to be
 * @param labels its labels, or {@code null} if it has none
 * @param labelsBefore its labels before an update, or {@code null} if it had none
 * @param creating whether it is created by this request
 * @param dryRun whether nothing is kept of it
 */
record AdmissionRequest(String uid, GroupResource resource, ObjectIdentity object, @Nullable Map<String, String> labels,
		@Nullable Map<String, String> labelsBefore, boolean creating, boolean dryRun) {
}
