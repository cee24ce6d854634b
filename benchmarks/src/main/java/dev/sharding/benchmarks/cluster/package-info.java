/**
 * What the system benchmarks share: an API server with a ControllerRing, waiting for it,
 * and the figures that come out.
 */
@NullMarked
package dev.sharding.benchmarks.cluster;

import org.jspecify.annotations.NullMarked;
