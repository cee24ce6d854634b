/**
 * Work that one replica does at a time. In: what to do while this process leads. Out: a
 * beginning, and an end before another process begins.
 */
@NullMarked
package dev.sharding.leadership;

import org.jspecify.annotations.NullMarked;
