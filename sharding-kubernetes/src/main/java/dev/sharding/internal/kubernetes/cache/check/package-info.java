/**
 * Whether caches tell the truth. In: views of the caches, and lists of the API server.
 * Out: a count and a report of each difference, and the meters of reads.
 */
@NullMarked
package dev.sharding.internal.kubernetes.cache.check;

import org.jspecify.annotations.NullMarked;
