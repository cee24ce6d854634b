/**
 * What the system benchmarks share: an API server with a ControllerRing, and waiting for
 * it.
 */
@NullMarked
package dev.sharding.benchmarks.cluster;

import org.jspecify.annotations.NullMarked;
