/**
 * What is written in the API server for all to read, in a form that any program may use.
 * In: the name of a ring. Out: the labels by which its objects and Leases are found, and
 * what the labels of an object mean for a shard. Pure functions.
 */
@NullMarked
package dev.sharding.protocol;

import org.jspecify.annotations.NullMarked;
