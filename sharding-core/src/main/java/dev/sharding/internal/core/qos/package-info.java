/**
 * Limits on outgoing requests. In: what a request is (operation, target, caller), what
 * requests like it cost so far, how the server fares, the defined classes and rules, and
 * {@code now}. Out: the rule that applies, and whether the request may go, when, or not
 * at all. Follows the decomposition of the etcd QoS draft: selector, cost, accounting
 * group, aggregation, limit.
 */
@NullMarked
package dev.sharding.internal.core.qos;

import org.jspecify.annotations.NullMarked;
