/**
 * {@code ./bench assignment}: how fast the objects of a dead shard get their new owners,
 * as a share of how fast the bare client can patch the same objects in the same run.
 */
@NullMarked
package dev.sharding.benchmarks.assignment;

import org.jspecify.annotations.NullMarked;
