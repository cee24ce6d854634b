/**
 * Where one object belongs, and the patch that puts it there. In: an object as last seen,
 * the ring as it is. Out: a patch in flight, bounded in number, and how it ended. Nobody
 * else decides.
 */
@NullMarked
package dev.sharding.internal.sharder.assignment.placement;

import org.jspecify.annotations.NullMarked;
