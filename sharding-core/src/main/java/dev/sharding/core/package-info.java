/**
 * The laws of sharding: pure functions of facts and {@code now}, without I/O, clock,
 * thread or logger. This package holds the words of the wire protocol that all rooms
 * share: label keys, annotation keys and well-known values.
 */
@NullMarked
package dev.sharding.core;

import org.jspecify.annotations.NullMarked;
