package dev.sharding.internal.core.overlay;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a key at a version that the feed has not reached.
 *
 * @param write the write, or the answer to a question, that told us
 * @param version the version, comparable
 * @param uid the uid of the object at that version
 * @param object the object, or {@code null} if it is not in the scope or deleted
 * @param since when we learned it
 */
record OwnResult<T>(long write, String version, @Nullable String uid, @Nullable T object, long since) {

	boolean olderThan(String version) {
		return ResourceVersions.compare(this.version, version) == Order.BEFORE;
	}

}
