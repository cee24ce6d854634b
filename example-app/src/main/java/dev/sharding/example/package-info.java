/**
 * What a user writes: a reconciler with its caches, and an application to run it.
 */
@NullMarked
package dev.sharding.example;

import org.jspecify.annotations.NullMarked;
