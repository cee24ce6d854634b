package dev.sharding.event;

import java.time.Duration;

import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;

/**
 * Published as an application event when the shard reconciled an object for the first
 * time that came while it was at work, from another shard or new.
 *
 * @param ring the name of the ControllerRing
 * @param shard the name of the shard
 * @param resource the resource of the object
 * @param key the object
 * @param took since the shard saw the object
 */
public record ObjectTakenOverEvent(String ring, String shard, GroupResource resource, ObjectKey key,
		Duration took) implements ShardingEvent {
}
