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
 */
record LeaseRecord(String holder, int durationSeconds, @Nullable Instant acquired, @Nullable Instant renewed) {

	static final LeaseRecord NONE = new LeaseRecord("", 0, null, null);

}
