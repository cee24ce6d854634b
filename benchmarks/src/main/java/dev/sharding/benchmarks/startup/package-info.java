/**
 * What the starter costs an application when it starts and when it stops. In: the
 * libraries of the example app. Out: ratios to the same application without the starter.
 */
@NullMarked
package dev.sharding.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
