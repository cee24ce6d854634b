/**
 * Resource versions. In: the texts that the API server hands out. Out: their order
 * (before, same, after), or the statement that they cannot be compared. Everybody who
 * asks "is this newer?" asks here.
 */
@NullMarked
package dev.sharding.core.version;

import org.jspecify.annotations.NullMarked;
