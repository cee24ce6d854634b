/**
 * {@code ./bench runtime}: two programs that do the same job in, figures of both and
 * their ratios out. Each program is a process of its own on the same API server, one
 * after the other, with the same flags for its JVM.
 */
@NullMarked
package dev.sharding.benchmarks.runtime;

import org.jspecify.annotations.NullMarked;
