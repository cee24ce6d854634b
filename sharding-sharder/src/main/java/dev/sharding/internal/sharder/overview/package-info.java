/**
 * What a platform team sees of rings, as data. In: rings and Leases as watched, the
 * membership, and what the leader counted and did. Out: names, labels, times and counts,
 * never the contents of an object.
 */
@NullMarked
package dev.sharding.internal.sharder.overview;

import org.jspecify.annotations.NullMarked;
