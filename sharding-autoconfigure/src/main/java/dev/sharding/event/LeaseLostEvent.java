package dev.sharding.event;

/**
 * Published as an application event when the shard no longer has its Lease: it was lost,
 * or given back because an informer failed for too long. The stop of the application is
 * no loss.
 *
 * @param ring the name of the ControllerRing
 * @param shard the name of the shard
 * @param reason why, for people
 */
public record LeaseLostEvent(String ring, String shard, String reason) implements ShardingEvent {
}
