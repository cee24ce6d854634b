/**
 * {@code ./bench runtime}: programs that do the same job in, their figures and ratios
 * out. {@link dev.sharding.benchmarks.runtime.Contender} says how each is started.
 */
@NullMarked
package dev.sharding.benchmarks.runtime;

import org.jspecify.annotations.NullMarked;
