/**
 * What a reader may ask of the version of an answer, in the words of the API server. Pure
 * values.
 */
@NullMarked
package dev.sharding.cache;

import org.jspecify.annotations.NullMarked;
