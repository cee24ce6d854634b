/**
 * The pieces of a limit that an application may replace. In: rules, and a request with
 * what is known of it. Out: which rule it falls under, what it costs, with whom it shares
 * the limit and how much that is. Pure values and functions; what counts and waits is in
 * {@code dev.sharding.internal.kubernetes.qos}.
 */
@NullMarked
package dev.sharding.qos.spi;

import org.jspecify.annotations.NullMarked;
