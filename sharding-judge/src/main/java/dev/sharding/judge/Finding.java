package dev.sharding.judge;

import java.time.Instant;

/**
 * One thing that the judge found.
 *
 * @param counter what it counts for
 * @param at when it happened; {@link Instant#MAX} of what is so at the end
 * @param sentence what it was
 */
public record Finding(Counter counter, Instant at, String sentence) {
}
