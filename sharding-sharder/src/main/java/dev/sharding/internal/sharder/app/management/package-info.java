/**
 * Endpoints of the program without a web server of Spring. In: Spring Boot's endpoints,
 * and the page. Out: listeners of {@link dev.sharding.internal.sharder.http}, guarded by
 * the reviews of the API server, and the webhook as one that is switched on and off.
 */
@NullMarked
package dev.sharding.internal.sharder.app.management;

import org.jspecify.annotations.NullMarked;
