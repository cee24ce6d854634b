/**
 * Informers. In: a resource and a scope (namespaces, selectors). Out: a store that
 * follows the API server, its watermark, and typed events in version order; one thread
 * per informer calls the handlers. The store and those who fill it are in {@code store},
 * bytes in {@code wire}.
 */
@NullMarked
package dev.sharding.internal.kubernetes.informer;

import org.jspecify.annotations.NullMarked;
