/**
 * How much room there is on the heap. In comes what was alive after a collection, out
 * goes whether the sharder has to work slowly, and what to say about it. The law is
 * {@link dev.sharding.internal.sharder.memory.MemoryLaw}.
 */
@NullMarked
package dev.sharding.internal.sharder.memory;

import org.jspecify.annotations.NullMarked;
