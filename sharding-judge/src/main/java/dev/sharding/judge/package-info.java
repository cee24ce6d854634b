/**
 * The judge: the audit log of the API server in, its counters and their examples out.
 * <p>
 * A program of its own. It shares no code with the product, not even the hash ring, and
 * knows of a run only what the API server wrote into its audit log, what the API answers
 * at the end and, if it is to judge in full, what the processes wrote down of their
 * consistent reads. It never writes.
 */
@NullMarked
package dev.sharding.judge;

import org.jspecify.annotations.NullMarked;
