/**
 * Plain requests to the API server, and what their clients are made with: kubeconfig,
 * HTTP client, JSON, throttle. In: method, path, query, body. Out: the response, or an
 * {@link dev.sharding.kubernetes.rest.ApiException} that says what was asked of which
 * object and why it failed; or, if a {@link dev.sharding.kubernetes.rest.RequestGuard}
 * kept the request back, a {@link dev.sharding.kubernetes.rest.NotSentException}. Nothing
 * here retries or parses objects; callers decide both.
 */
@NullMarked
package dev.sharding.internal.kubernetes.rest;

import org.jspecify.annotations.NullMarked;
