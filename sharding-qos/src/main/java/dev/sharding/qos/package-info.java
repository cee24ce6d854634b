/**
 * Wires limits on requests into a Spring Boot application and into the sharder. In:
 * properties under {@code sharding.qos}, and beans that replace a piece. Out: clients
 * whose requests are limited, an endpoint, metrics, and failures that say what to do.
 */
@NullMarked
package dev.sharding.qos;

import org.jspecify.annotations.NullMarked;
