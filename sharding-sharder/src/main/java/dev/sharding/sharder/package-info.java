/**
 * The sharder: assigns the objects of every ControllerRing to the ring's available
 * shards. {@link dev.sharding.sharder.Sharder} is all that a program needs; it knows no
 * framework.
 */
@NullMarked
package dev.sharding.sharder;

import org.jspecify.annotations.NullMarked;
