/**
 * What is wrong with a ring, and why its objects are where they are. In: what was read of
 * Leases, objects, certificates and rights. Out: findings. Pure functions by the same
 * laws as the sharder's; the command line fetches, asks here and prints.
 */
@NullMarked
package dev.sharding.internal.sharder.diagnosis;

import org.jspecify.annotations.NullMarked;
