/**
 * {@code ./bench ring}: how long it takes to find the shard of an object, and what it
 * allocates, beside the way one would write it first.
 */
@NullMarked
package dev.sharding.benchmarks.ring;

import org.jspecify.annotations.NullMarked;
