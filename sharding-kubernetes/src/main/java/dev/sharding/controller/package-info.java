/**
 * What reconcilers say in the status of their objects. In: the conditions that are there
 * and the one that is wanted. Out: the conditions to write. Pure functions; the caches
 * write.
 */
@NullMarked
package dev.sharding.controller;

import org.jspecify.annotations.NullMarked;
