/**
 * Own writes laid over a store. In: events of an informer, answers to writes. Out: a view
 * that never goes back behind a write of ours, and only those events that are news. The
 * rules are those of {@code dev.sharding.internal.core.overlay}; here are the questions
 * that they want asked, and the time.
 */
@NullMarked
package dev.sharding.internal.kubernetes.cache.overlay;

import org.jspecify.annotations.NullMarked;
