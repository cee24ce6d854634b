package dev.sharding.judge;

import java.time.Instant;

/**
 * A line that whoever drives the run draws into the audit log, by writing the ConfigMap
 * {@value #NAME} in {@value #NAMESPACE} (outside the scope of the ring) with the keys
 * {@code step} and {@code phase}.
 *
 * @param at when the API server received it
 * @param step name of the step
 * @param quiescent true: all is said to be quiet now, so every object must be in its
 * place; false: the step begins
 */
record Mark(Instant at, String step, boolean quiescent) {

	static final String NAMESPACE = "sharding-system";

	static final String NAME = "judge-mark";

	static final String QUIESCENT = "quiescent";

}
