package dev.sharding.internal.kubernetes.informer.wire;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.key.OwnerRef;
import org.jspecify.annotations.Nullable;

/**
 * A part of an object's metadata; the rest is skipped unread.
 *
 * @param namespace the namespace, empty for cluster-scoped objects
 * @param name the name
 * @param resourceVersion the version of the object
 * @param created when it was created, or {@code null} if that is not said
 * @param labels those of its labels that were asked for
 * @param owners its owner references, in order
 */
public record MetadataSummary(String namespace, String name, String resourceVersion, @Nullable Instant created,
		Map<String, String> labels, List<OwnerRef> owners) {
}
