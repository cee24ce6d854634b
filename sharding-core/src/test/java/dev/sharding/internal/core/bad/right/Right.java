package dev.sharding.internal.core.bad.right;

import dev.sharding.internal.core.bad.left.Left;

/**
 * The other half of a cycle of packages.
 */
public record Right(Left left) {
}
