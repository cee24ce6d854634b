/**
 * {@code ./bench consistent-read}: consistent lists from the cache beside lists by the
 * API server, in the same run.
 */
@NullMarked
package dev.sharding.benchmarks.consistentread;

import org.jspecify.annotations.NullMarked;
