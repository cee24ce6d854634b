/**
 * Puts every object of one ring where it belongs. In: the available shards, the objects
 * that none of them owns (by watch), the drains under way (by watch) and all objects (by
 * resync), metadata only. Out: one patch per object that changes hands, in the order old
 * claim ended, controlled objects, main object.
 */
@NullMarked
package dev.sharding.internal.sharder.assignment;

import org.jspecify.annotations.NullMarked;
