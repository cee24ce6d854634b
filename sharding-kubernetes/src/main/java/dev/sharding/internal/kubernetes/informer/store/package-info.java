/**
 * A store that follows the API server. In: lists and watches, one thread per scope and
 * namespace. Out: the objects and the version up to which they are complete, and the
 * answer to those who wait until it is new enough. The rules are in {@code StorePart},
 * and what "consistent" means is in {@code Expectation}.
 */
@NullMarked
package dev.sharding.internal.kubernetes.informer.store;

import org.jspecify.annotations.NullMarked;
