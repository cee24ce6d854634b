/**
 * What the sharder keeps of shards that are asked to let go of objects. In: what each of
 * them has made. Out: what a main object controls, in few bytes, for as many shards at a
 * time as fit.
 */
@NullMarked
package dev.sharding.internal.sharder.source;

import org.jspecify.annotations.NullMarked;
