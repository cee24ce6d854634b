/**
 * Who owns an object. In: its labels, its sharding key, the hash ring and how far a
 * hand-over is. Out, for the sharder: keep, assign, move, drain or wait; for the shard:
 * reconcile, acknowledge the drain or leave it, and whether it is new; and the patches
 * that carry it out.
 */
@NullMarked
package dev.sharding.internal.core.assignment;

import org.jspecify.annotations.NullMarked;
