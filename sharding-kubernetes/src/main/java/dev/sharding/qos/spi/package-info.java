/**
 * The piece of a limit that adds up costs over time. In: a class and the cost of each
 * request. Out: a turn, at once or later, or a refusal.
 */
@NullMarked
package dev.sharding.qos.spi;

import org.jspecify.annotations.NullMarked;
