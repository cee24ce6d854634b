/**
 * The laws of reads that are as fresh as the API server, and of resource versions. In:
 * what a reader asks for, what the API server can do, and the versions that it hands out.
 * Out: who answers, and the order of two versions (before, same, after), or the statement
 * that they cannot be compared. Everybody who asks "is this newer?" asks here.
 */
@NullMarked
package dev.sharding.internal.core.read;

import org.jspecify.annotations.NullMarked;
