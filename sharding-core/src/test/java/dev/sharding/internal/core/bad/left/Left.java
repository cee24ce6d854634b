package dev.sharding.internal.core.bad.left;

import dev.sharding.internal.core.bad.right.Right;

/**
 * Half of a cycle of packages.
 */
public record Left(Right right) {
}
