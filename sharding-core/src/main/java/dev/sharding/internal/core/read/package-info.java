/**
 * The laws of reads that are as fresh as the API server. In: what a reader asks for, what
 * the API server can do, and what somebody decided. Out: who answers, and whether that is
 * on at all.
 */
@NullMarked
package dev.sharding.internal.core.read;

import org.jspecify.annotations.NullMarked;
