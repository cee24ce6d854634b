package dev.sharding.judge;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What a Lease says.
 *
 * @param holder {@code spec.holderIdentity}, empty if released
 * @param durationSeconds {@code spec.leaseDurationSeconds}
 * @param acquired {@code spec.acquireTime}, null if it does not say
 * @param renewed {@code spec.renewTime}, null if it does not say
 * @param giveBack how long the objects of its shard wait for the next holder
 */
record LeaseRecord(String holder, int durationSeconds, @Nullable Instant acquired, @Nullable Instant renewed,
		GiveBack giveBack) {

	static final LeaseRecord NONE = new LeaseRecord("", 0, null, null, GiveBack.NONE);

	/**
	 * Since when nobody has served the objects of its shard for one grace, null if
	 * somebody has.
	 */
	@Nullable Instant graceStart() {
		return (this.giveBack.start() != null || !this.giveBack.marked()) ? this.giveBack.start() : this.renewed;
	}

	/** Since when its objects wait for the next holder, null if they do not. */
	@Nullable Instant waitedForSince() {
		return this.giveBack.isWaitedFor() ? graceStart() : null;
	}

}
