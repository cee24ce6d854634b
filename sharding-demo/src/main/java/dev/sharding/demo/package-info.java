/**
 * The demo: a sharder and several shards as processes of their own on a real API server;
 * objects come, shards come and go, and the judge says whether all was well.
 * <p>
 * {@link dev.sharding.demo.DemoMain} plays the {@code Script}: it starts and stops
 * processes, waits by looking at the {@code Board} (what the watches told), and draws
 * marks into the audit log for the judge.
 */
@NullMarked
package dev.sharding.demo;

import org.jspecify.annotations.NullMarked;
