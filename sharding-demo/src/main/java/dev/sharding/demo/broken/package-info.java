/**
 * Negative controls: shards with a fault, made of the example app's own classes and one
 * more configuration. They prove that the judge sees the fault; nothing but tests and
 * {@code ./demo --break} runs them.
 */
@NullMarked
package dev.sharding.demo.broken;

import org.jspecify.annotations.NullMarked;
