/**
 * Plain requests to the API server. In: method, path, query, body. Out: the response, or
 * an {@link dev.sharding.client.ApiException} that says what was asked of which object
 * and why it failed; or, if a guard kept the request back, a
 * {@link dev.sharding.client.NotSentException}. Nothing here retries or parses objects;
 * callers decide both.
 */
@NullMarked
package dev.sharding.internal.kubernetes.rest;

import org.jspecify.annotations.NullMarked;
