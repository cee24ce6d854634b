/**
 * {@code ./bench scale}: what many objects, many rings and many shards cost the sharder:
 * memory, CPU time, requests, and how fast it is beside a bare client. In: a real API
 * server, the sharder as a process of its own, Leases behind which is no shard, and
 * drains that are acknowledged at once. Out: one JSON object. Each part stands for itself
 * and has a control plane of its own.
 */
@NullMarked
package dev.sharding.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
