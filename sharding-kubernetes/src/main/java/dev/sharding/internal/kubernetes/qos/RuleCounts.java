package dev.sharding.internal.kubernetes.qos;

/**
 * What a rule did since the process started.
 *
 * @param rule the rule's name
 * @param matched requests that it limited or let through
 * @param limited of those, how many had to wait or were not sent
 * @param waited of those, how many had to wait
 * @param rejected of those, how many were not sent
 */
public record RuleCounts(String rule, long matched, long limited, long waited, long rejected) {
}
