/**
 * Limiters: Resilience4j's, or such as stand behind its interface. In: a class, and the
 * cost of a request. Out: a turn at once, a turn later, or a refusal, and an event for
 * each.
 */
@NullMarked
package dev.sharding.internal.kubernetes.qos.limit;

import org.jspecify.annotations.NullMarked;
