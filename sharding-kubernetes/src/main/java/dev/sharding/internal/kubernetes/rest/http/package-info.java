/**
 * What requests and their clients are made of. In: kubeconfig, method, path and query.
 * Out: a request to be sent, a guard that may keep it back, and an HTTP client with its
 * JSON that starts fast and logs nothing needless.
 */
@NullMarked
package dev.sharding.internal.kubernetes.rest.http;

import org.jspecify.annotations.NullMarked;
