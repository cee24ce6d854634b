/**
 * The reconcile runtime. In: informer events, results and errors of reconciles, keys from
 * outside. Out: calls of a {@link dev.sharding.controller.Reconciler}, one at a time per
 * object. Whether an object is ours, and whether its drain is to be acknowledged, is
 * asked here before each reconcile, on the thread that holds the object's key: so no
 * reconcile of an object is in flight when its drain is acknowledged.
 */
@NullMarked
package dev.sharding.internal.kubernetes.reconcile;

import org.jspecify.annotations.NullMarked;
