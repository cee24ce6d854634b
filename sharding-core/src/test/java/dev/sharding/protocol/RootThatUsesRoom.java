package dev.sharding.protocol;

import dev.sharding.internal.core.assignment.HashRing;

/**
 * Breaks the rule that the words that all share know nothing of the rooms.
 */
public record RootThatUsesRoom(HashRing ring) {
}
