package dev.sharding.judge;

/**
 * A resource of the ring.
 *
 * @param group API group, empty for the core group
 * @param resource plural name
 * @param kind kind of its objects
 */
record ResourceId(String group, String resource, String kind) {
}
