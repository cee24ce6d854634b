package dev.sharding.protocol;

import dev.sharding.internal.core.assignment.HashRing;

/**
 * Breaks the rule that the root package knows nothing of the rooms.
 */
record RootThatUsesRoom(HashRing ring) {
}
