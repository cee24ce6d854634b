package dev.sharding.internal.kubernetes.qos;

import dev.sharding.internal.core.qos.RingShare;
import org.jspecify.annotations.Nullable;

/**
 * Among how many shards a limit of the ring is divided.
 *
 * @param shards the number of available shards, as last known; 1 if it never was
 * @param parts into how many parts each limit of the ring is divided
 * @param known whether it ever was known
 * @param failure why it is not known now, or {@code null} if it is
 */
public record RingMembership(int shards, int parts, boolean known, @Nullable String failure) {

	static final RingMembership NOT_READ = new RingMembership(1, RingShare.UNKNOWN, false, "not read yet");

	static RingMembership of(int shards, int looks) {
		return new RingMembership(Math.max(1, shards), RingShare.parts(shards, looks), true, null);
	}

	static RingMembership none(String reason) {
		return new RingMembership(1, 1, false, reason);
	}

	RingMembership failed(String reason) {
		return new RingMembership(this.shards, this.parts, this.known, reason);
	}

}
