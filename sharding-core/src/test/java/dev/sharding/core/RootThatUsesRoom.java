package dev.sharding.core;

import dev.sharding.core.ring.HashRing;

/**
 * Breaks the rule that the root package knows nothing of the rooms.
 */
record RootThatUsesRoom(HashRing ring) {
}
