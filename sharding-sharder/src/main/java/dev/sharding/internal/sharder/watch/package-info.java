/**
 * One thread on which a part of the sharder lives. In: tasks, now or later. Out: their
 * effects, one at a time, so that state needs no locks.
 */
@NullMarked
package dev.sharding.internal.sharder.watch;

import org.jspecify.annotations.NullMarked;
