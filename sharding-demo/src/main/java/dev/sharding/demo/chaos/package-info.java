/**
 * Chaos: a schedule of faults that a seed makes, played to real processes on a real API
 * server and judged from its audit log.
 * <p>
 * {@link dev.sharding.demo.chaos.ChaosMain} takes the options, has the {@code Schedule}
 * drawn up before anything starts, and hands it to the {@code Conductor}. What happened
 * goes to the {@code Scribe}, from there with the words of the judge into a folder.
 */
@NullMarked
package dev.sharding.demo.chaos;

import org.jspecify.annotations.NullMarked;
