/**
 * The serving certificate of the webhook. In: a Secret that all replicas share, or files.
 * Out: the certificate to serve with and, where it is our own, the authorities by which
 * the API server may trust it; again after each change.
 */
@NullMarked
package dev.sharding.internal.sharder.tls;

import org.jspecify.annotations.NullMarked;
