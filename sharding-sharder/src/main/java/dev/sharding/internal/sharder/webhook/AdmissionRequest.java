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
 * @param object the object as it is to be; of its owners the controller alone
 * @param labels its labels of rings, and one of the others if it has any, or {@code null}
 * if it has none
 * @param creating whether it is created by this request
 * @param dryRun whether nothing is kept of it
 */
record AdmissionRequest(String uid, GroupResource resource, ObjectIdentity object, @Nullable Map<String, String> labels,
		boolean creating, boolean dryRun) {
}
