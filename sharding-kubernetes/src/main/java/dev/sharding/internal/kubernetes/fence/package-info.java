/**
 * The fence in front of writes (contract "one owner"). In: a request that is about to be
 * sent, the term of the Lease, the claims of the shard. Out: the same request, or a
 * {@link dev.sharding.shard.WriteFencedException} that says which gate it did not pass,
 * and by how much.
 *
 * <p>
 * What decides is a {@link dev.sharding.internal.kubernetes.fence.FenceLaw}, so that a
 * negative control can put another one in its place; time comes from the
 * {@link dev.sharding.internal.kubernetes.lease.LeaseClock} of the shard.
 */
@NullMarked
package dev.sharding.internal.kubernetes.fence;

import org.jspecify.annotations.NullMarked;
