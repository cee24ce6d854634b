/**
 * A process as a shard. In: the ring, controllers or a loop of the application, and
 * options. Out: a shard that holds its Lease, has the objects that bear its label in its
 * caches, acts on no others, and lets go of what it is asked to. Wiring only: what is
 * wired are the rooms in {@code dev.sharding.internal.kubernetes}.
 */
@NullMarked
package dev.sharding.shard;

import org.jspecify.annotations.NullMarked;
