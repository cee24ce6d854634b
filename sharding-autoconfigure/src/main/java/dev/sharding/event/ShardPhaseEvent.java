package dev.sharding.event;

import dev.sharding.shard.RuntimePhase;

/**
 * Published as an application event whenever the shard enters another phase: for example
 * when it loses its Lease, and when it reconciles again.
 *
 * @param ring the name of the ControllerRing
 * @param shard the name of the shard
 * @param phase the phase that it entered
 * @param reason why, for people; empty if there is nothing to say
 */
public record ShardPhaseEvent(String ring, String shard, RuntimePhase phase, String reason) implements ShardingEvent {
}
