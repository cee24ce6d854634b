/**
 * The one web stack: HTTP and HTTPS listeners on Vert.x, which the client of the API
 * server brings along. In: who answers requests. Out: requests within the bounds that
 * each listener has of its own on connections, handshakes, requests, heads, bodies and
 * time.
 */
@NullMarked
package dev.sharding.internal.sharder.http;

import org.jspecify.annotations.NullMarked;
