package dev.sharding.qos;

/**
 * Which shard this process is. Without such a bean it is none: limits of a ring are then
 * those of the process.
 *
 * @param ringPath the path of the ControllerRing at the API server
 * @param name the shard's name
 */
public record QosShard(String ringPath, String name) {
}
