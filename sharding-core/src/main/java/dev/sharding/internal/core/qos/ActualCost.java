package dev.sharding.internal.core.qos;

/**
 * What a request cost in the end.
 *
 * @param items objects in the answer; {@link Double#NaN} if they were not counted
 * @param responseBytes bytes of the answer's body
 * @param latencyMillis milliseconds to its last byte
 * @param failed whether there was no answer, or one with status 400 or above
 */
public record ActualCost(double items, double responseBytes, double latencyMillis, boolean failed) {
}
