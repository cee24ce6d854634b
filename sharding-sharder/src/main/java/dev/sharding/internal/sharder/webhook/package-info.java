/**
 * The admission webhook. In: AdmissionReviews from the API server, rings and Leases by
 * watch, a serving certificate. Out: an answer that puts the shard label on or leaves the
 * object alone, and one MutatingWebhookConfiguration per ring that makes the API server
 * ask. Every replica of the sharder answers; only the leader writes configurations.
 */
@NullMarked
package dev.sharding.internal.sharder.webhook;

import org.jspecify.annotations.NullMarked;
