/**
 * Puts every object of one ring where it belongs. In: the available shards, the objects
 * that none of them owns (by watch), the drains under way (by watch) and all objects (by
 * resync), metadata only. Out: one placement per object that changes hands, in the order
 * old claim ended, controlled objects, main object. Sees through {@code metadata}, acts
 * through {@code placement}.
 */
@NullMarked
package dev.sharding.internal.sharder.assignment;

import org.jspecify.annotations.NullMarked;
