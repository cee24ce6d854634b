/**
 * {@code ./bench new-object}: how long a new object waits for its first reconcile in a
 * shard that owns many, with and without the check of what the shard takes over, and how
 * often the shard lists what it owns for that. From the API server's audit log.
 */
@NullMarked
package dev.sharding.benchmarks.newobject;

import org.jspecify.annotations.NullMarked;
