package dev.sharding.event;

/**
 * Published as an application event when the shard got its Lease, before it reconciles.
 *
 * @param ring the name of the ControllerRing
 * @param shard the name of the shard
 */
public record LeaseAcquiredEvent(String ring, String shard) implements ShardingEvent {
}
