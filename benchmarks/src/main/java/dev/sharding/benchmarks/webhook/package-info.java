/**
 * What the webhook costs whoever writes objects, and what the sharder costs at rest. In:
 * a real API server and the sharder as a process of its own. Out: one JSON object.
 */
@NullMarked
package dev.sharding.benchmarks.webhook;

import org.jspecify.annotations.NullMarked;
