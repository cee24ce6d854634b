/**
 * The auto-configurations, under names that applications may exclude or follow, with the
 * health indicators and endpoints that they define. In: properties under {@code sharding}
 * and beans of the application. Out: a shard that starts and stops with it, caches as
 * beans, health, endpoints and metrics. Only the auto-configurations are public.
 */
@NullMarked
package dev.sharding.autoconfigure;

import org.jspecify.annotations.NullMarked;
