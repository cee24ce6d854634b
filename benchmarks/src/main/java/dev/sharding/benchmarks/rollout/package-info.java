/**
 * {@code ./bench rollout}: what a roll-out of replicas moves, and for how long updates
 * wait meanwhile, with the names of pods, with those of a StatefulSet and a grace, and
 * with slots. Processes of their own, a harness that plays the Deployment controller, and
 * figures from the audit log.
 */
@NullMarked
package dev.sharding.benchmarks.rollout;

import org.jspecify.annotations.NullMarked;
