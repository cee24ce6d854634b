package dev.sharding.kubernetes.qos;

import org.jspecify.annotations.Nullable;

/**
 * Among how many shards a limit of the ring is divided.
 *
 * @param shards the number of available shards, as last known; 1 if it never was
 * @param known whether it ever was known
 * @param failure why it is not known now, or {@code null} if it is
 */
public record RingMembership(int shards, boolean known, @Nullable String failure) {

	static final RingMembership NOT_READ = new RingMembership(1, false, "not read yet");

	static RingMembership of(int shards) {
		return new RingMembership(Math.max(1, shards), true, null);
	}

	RingMembership failed(String reason) {
		return new RingMembership(this.shards, this.known, reason);
	}

}
