package dev.sharding.internal.core.assignment;

import java.util.Map;

import dev.sharding.internal.core.key.ObjectIdentity;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * What an admission webhook knows of a request to create or update an object, and of the
 * ring that the request is about.
 *
 * @param ringName the name of the ControllerRing
 * @param ring the hash ring of all available shards, or {@code null} if the ring or its
 * shards are not known here
 * @param upToDate whether these are the shards of the present, see {@link Hearing}
 * @param role how the ring lists the resource of the object, or {@code null} if it does
 * not
 * @param hasControlled whether the resource has controlled resources in this ring
 * @param object the object as it is to be
 * @param labels its labels, or {@code null} if it has none
 * @param watching whether a watch assigns what the webhook leaves
 * @param creating whether the request creates the object
 */
public record AdmissionFacts(String ringName, @Nullable HashRing ring, boolean upToDate, @Nullable ResourceRole role,
		boolean hasControlled, ObjectIdentity object, @Nullable Map<String, String> labels, boolean watching,
		boolean creating) {

	boolean isAssigned() {
		String shard = (this.labels != null) ? this.labels.get(ShardingLabels.shard(this.ringName)) : null;
		return shard != null && !shard.isEmpty();
	}

	boolean hasLabels() {
		return this.labels != null && !this.labels.isEmpty();
	}

	/** Whether there is somebody who wants to know that no shard had it before. */
	boolean isFirst() {
		return this.creating && this.hasControlled && this.role == ResourceRole.MAIN;
	}

}
