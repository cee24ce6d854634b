/**
 * What is watched once per process, for the webhook and for each term as leader, and the
 * one thread on which a part of the sharder lives. In: ControllerRings and shard Leases;
 * tasks, now or later. Out: events, to a leader only such as rest on a read that began in
 * its term, with no more of a large Lease than the sharder reads; the effects of tasks,
 * one at a time, so that state needs no locks.
 */
@NullMarked
package dev.sharding.internal.sharder.watch;

import org.jspecify.annotations.NullMarked;
