/**
 * What is watched once per process, for the webhook and for each term as leader. In:
 * ControllerRings and shard Leases. Out: events, to a leader only such as rest on a read
 * that began in its term.
 */
@NullMarked
package dev.sharding.sharder.watch;

import org.jspecify.annotations.NullMarked;
