/**
 * What is written in the API server for all to read. In: a ring as its author wrote it.
 * Out: the roles that its shards and its sharder need.
 */
@NullMarked
package dev.sharding.protocol;

import org.jspecify.annotations.NullMarked;
