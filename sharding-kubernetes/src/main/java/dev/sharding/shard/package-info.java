/**
 * The assembly. {@link dev.sharding.kubernetes.Shard} joins one ring: it puts together
 * the Lease, the informers, the caches and the controllers of a shard, starts them in
 * order and stops them in reverse. {@link dev.sharding.kubernetes.PlainControllers} does
 * the same for controllers outside any ring. The rooms below know nothing of each other's
 * life.
 */
@NullMarked
package dev.sharding.shard;

import org.jspecify.annotations.NullMarked;
