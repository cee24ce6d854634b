/**
 * Limits on outgoing requests. In: rules. Out: how exact a rate is, what a request
 * without a rule pays, and how much a limited neighbour still disturbs others.
 */
@NullMarked
package dev.sharding.benchmarks.qos;

import org.jspecify.annotations.NullMarked;
