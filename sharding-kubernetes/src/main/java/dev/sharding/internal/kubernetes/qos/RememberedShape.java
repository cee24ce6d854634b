package dev.sharding.internal.kubernetes.qos;

import java.time.Instant;

import dev.sharding.internal.core.qos.RequestShape;

/**
 * What requests of a shape cost lately, as another process can take it over.
 *
 * @param shape the shape
 * @param items objects in the answer; {@link Double#NaN} if none was counted
 * @param responseBytes bytes of the answer; {@link Double#NaN} if all requests failed
 * @param latencyMillis milliseconds to the last byte
 * @param failures the share of failures, from 0 to 1
 * @param seen when the last request ended
 */
public record RememberedShape(RequestShape shape, double items, double responseBytes, double latencyMillis,
		double failures, Instant seen) {
}
