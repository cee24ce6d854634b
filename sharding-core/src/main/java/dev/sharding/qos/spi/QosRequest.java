package dev.sharding.qos.spi;

/**
 * A request as rules see it.
 *
 * @param operation what it does
 * @param target what it is about
 * @param caller who makes it
 */
public record QosRequest(Operation operation, RequestTarget target, Caller caller) {
}
