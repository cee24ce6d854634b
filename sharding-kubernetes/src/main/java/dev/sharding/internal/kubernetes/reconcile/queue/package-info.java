/**
 * The work queue of a controller. In: keys, when they are due and how urgent they are.
 * Out: one key at a time for each worker, never one that another worker holds. What comes
 * next is decided in {@code QueueState}, without a clock or a thread.
 */
@NullMarked
package dev.sharding.internal.kubernetes.reconcile.queue;

import org.jspecify.annotations.NullMarked;
