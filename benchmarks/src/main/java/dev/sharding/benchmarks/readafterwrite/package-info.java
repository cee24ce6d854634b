/**
 * {@code ./bench read-after-write}: what the own writes cost that are laid over a cache:
 * reads beside those of the bare store, one write with its echo, and what is kept of it.
 */
@NullMarked
package dev.sharding.benchmarks.readafterwrite;

import org.jspecify.annotations.NullMarked;
