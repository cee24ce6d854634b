package dev.sharding.core.bad.left;

import dev.sharding.core.bad.right.Right;

/**
 * Half of a cycle of packages.
 */
public record Left(Right right) {
}
