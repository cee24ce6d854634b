package dev.sharding.event;

import java.time.Duration;

import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;

/**
 * Published as an application event when the shard gave an object back to the sharder.
 *
 * @param ring the name of the ControllerRing
 * @param shard the name of the shard
 * @param resource the resource of the object
 * @param key the object
 * @param took since the shard saw that the sharder wants it
 */
public record ObjectDrainedEvent(String ring, String shard, GroupResource resource, ObjectKey key,
		Duration took) implements ShardingEvent {
}
