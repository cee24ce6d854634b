package dev.sharding.core.bad.right;

import dev.sharding.core.bad.left.Left;

/**
 * The other half of a cycle of packages.
 */
public record Right(Left left) {
}
