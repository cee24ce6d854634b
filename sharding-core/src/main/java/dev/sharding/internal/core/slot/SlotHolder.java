package dev.sharding.internal.core.slot;

import java.time.Duration;

import dev.sharding.internal.core.lease.ShardIdentity;
import org.jspecify.annotations.Nullable;

/**
 * A process that acquires the Lease of a shard, and what it notes there.
 *
 * @param identity the shard and the process
 * @param leaseDuration how long the Lease is valid after a write, in whole seconds
 * @param grace how long the objects wait after it has given the Lease back, in whole
 * seconds; zero for not at all
 * @param slots how many slots it believes there are, 0 if it has a name of its own
 * @param template the hash of its pod template, {@code null} if it does not know it
 */
public record SlotHolder(ShardIdentity identity, Duration leaseDuration, Duration grace, int slots,
		@Nullable String template) {
}
