/**
 * What the sharder sees of the objects of a ring. In: a scope, and room in memory. Out:
 * metadata of what has no owner, of what drains and of what a shard has made, by lists
 * page by page and by watches; the connection that all of them use, and its meters.
 */
@NullMarked
package dev.sharding.internal.sharder.assignment.metadata;

import org.jspecify.annotations.NullMarked;
