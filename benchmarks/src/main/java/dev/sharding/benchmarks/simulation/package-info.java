/**
 * {@code ./bench simulation}: the laws alone, with a thousand shards and a million keys:
 * how evenly keys are shared out, how many move when a shard comes or goes, and how long
 * it takes to decide. Neither an API server nor a sharder.
 */
@NullMarked
package dev.sharding.benchmarks.simulation;

import org.jspecify.annotations.NullMarked;
