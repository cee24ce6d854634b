/**
 * The laws of sharding: pure functions of facts and {@code now}, without I/O, clock,
 * thread or logger. They are in the rooms below; here is the mark of what is public for
 * them alone.
 */
@NullMarked
package dev.sharding.internal.core;

import org.jspecify.annotations.NullMarked;
