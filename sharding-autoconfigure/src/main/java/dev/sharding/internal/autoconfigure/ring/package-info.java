/**
 * What a start finds in the cluster. In: the name of a ring and a client. Out: whether
 * the ring is there and fits the application, its declaration where the application
 * brings it, and what is wrong with it, at the start and later.
 */
@NullMarked
package dev.sharding.internal.autoconfigure.ring;

import org.jspecify.annotations.NullMarked;
