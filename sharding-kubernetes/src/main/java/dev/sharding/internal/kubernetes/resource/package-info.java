/**
 * Resources that only the API server knows. In: names, and the API server's discovery.
 * Out: the type of the resource, what its schema leaves open, or the statement that it is
 * not served.
 */
@NullMarked
package dev.sharding.internal.kubernetes.resource;

import org.jspecify.annotations.NullMarked;
