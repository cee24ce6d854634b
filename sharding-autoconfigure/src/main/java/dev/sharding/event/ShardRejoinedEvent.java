package dev.sharding.event;

/**
 * Published as an application event when the shard reconciles again after a loss.
 *
 * @param ring the name of the ControllerRing
 * @param shard the name of the shard
 */
public record ShardRejoinedEvent(String ring, String shard) implements ShardingEvent {
}
