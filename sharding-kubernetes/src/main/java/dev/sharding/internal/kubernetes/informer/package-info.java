/**
 * Informers. In: a resource and a scope (namespaces, selectors). Out: a store that
 * follows the API server, its watermark, and typed events in version order.
 * <p>
 * One thread per scope and namespace lists, watches and writes to the store; one thread
 * per informer calls the handlers. Nothing but closing ends either. Bytes are cut by
 * {@code JsonCursor}, objects are parsed once by fabric8, the rules of what is an event
 * are in {@code StorePart}, and what "consistent" means is in {@code Expectation}.
 */
@NullMarked
package dev.sharding.internal.kubernetes.informer;

import org.jspecify.annotations.NullMarked;
