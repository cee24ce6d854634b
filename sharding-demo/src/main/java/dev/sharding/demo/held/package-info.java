/**
 * The programs with places where a run can be held: a reconcile before it begins to
 * write, an acknowledgement before it is sent, a patch of the sharder before it is sent.
 * Whoever plays holds and releases them by files, so that a signal, a kill or a cut comes
 * at exactly that point. A shard writes down for the judge what its consistent reads
 * show. They run in the class path of the example app or of the sharder.
 */
@NullMarked
package dev.sharding.demo.held;

import org.jspecify.annotations.NullMarked;
