/**
 * Operators on java-operator-sdk as shards. In: the reconcilers of the application, as
 * they are, and the shard with its Lease, claims and drains. Out: an operator for each
 * term of the Lease, whose informers hold what the shard owns, whose writes pass the
 * fence, and between whose reconciles drains are acknowledged.
 *
 * <p>
 * What depends on the version of the SDK is in {@link dev.sharding.josdk.SdkOperator}.
 */
@NullMarked
package dev.sharding.josdk;

import org.jspecify.annotations.NullMarked;
