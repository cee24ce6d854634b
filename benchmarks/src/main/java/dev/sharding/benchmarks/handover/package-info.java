/**
 * {@code ./bench handover}: how long objects are without an owner when they change hands,
 * how soon the objects of a shard that crashed or stopped are with others, and how many
 * move in a second. From a metadata watch of the API server.
 */
@NullMarked
package dev.sharding.benchmarks.handover;

import org.jspecify.annotations.NullMarked;
