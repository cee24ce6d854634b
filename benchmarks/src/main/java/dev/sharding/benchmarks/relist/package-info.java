/**
 * {@code ./bench relist}: what a relist costs that changes nothing, beside the first
 * list.
 */
@NullMarked
package dev.sharding.benchmarks.relist;

import org.jspecify.annotations.NullMarked;
