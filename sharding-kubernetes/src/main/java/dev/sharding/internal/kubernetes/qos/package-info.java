/**
 * Limits on outgoing requests. In: a request, the classes and rules in force, what
 * requests of its shape cost before, how many objects its resource has. Out: the same
 * request, at once, later, or a typed refusal; counters, and the latest limited and
 * expensive requests. Waiting parks no thread. The decisions are those of
 * {@code dev.sharding.internal.core.qos}.
 */
@NullMarked
package dev.sharding.internal.kubernetes.qos;

import org.jspecify.annotations.NullMarked;
