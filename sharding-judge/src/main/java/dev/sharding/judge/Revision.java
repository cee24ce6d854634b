package dev.sharding.judge;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A state of an object and the request that made it.
 *
 * @param cause the request
 * @param body the state, null once the object is deleted
 */
record Revision(AuditEvent cause, @Nullable Body body) {

	Instant received() {
		return this.cause.received();
	}

	Instant completed() {
		return this.cause.completed();
	}

	/** Value of the label, empty if the object does not have it or does not exist. */
	String label(String key) {
		return (this.body != null) ? this.body.labels().getOrDefault(key, "") : "";
	}

	/** What it says as a Lease. */
	LeaseRecord lease() {
		return (this.body != null) ? this.body.lease() : LeaseRecord.NONE;
	}

	/**
	 * Whether the sharder made of a shard's Lease one that the shard does not hold. Its
	 * label for the state leaves who holds it as somebody else made it.
	 */
	boolean isTakenFrom(String shard, @Nullable Revision before) {
		return this.cause.bySharder() && !isHeldBy(shard) && (before == null || !isHeldBy(before.lease().holder()));
	}

	boolean isHeldBy(String holder) {
		return lease().holder().equals(holder);
	}

}
