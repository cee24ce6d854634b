/**
 * Wires limits on requests into a Spring Boot application and into the sharder. In:
 * properties under {@code sharding.qos}, beans that replace a piece, and, if wanted, a
 * ConfigMap with the rules of all replicas. Out: clients whose requests are limited, an
 * endpoint that shows and changes the rules, health, metrics, and failures that say what
 * to do.
 */
@NullMarked
package dev.sharding.qos;

import org.jspecify.annotations.NullMarked;
