/**
 * What a shard tells the application as events of Spring. In: phases, Leases and
 * hand-overs. Out: immutable records, published on the thread that says so in each of
 * them.
 */
@NullMarked
package dev.sharding.event;

import org.jspecify.annotations.NullMarked;
