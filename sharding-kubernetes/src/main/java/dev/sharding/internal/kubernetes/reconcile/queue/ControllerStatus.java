package dev.sharding.internal.kubernetes.reconcile.queue;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * What a controller has to do.
 *
 * @param waiting how many objects wait for their turn, by priority
 * @param delayed how many wait for a time: after a failure, or as they asked for it
 * @param failing how many of all these failed the last time
 * @param active how many are being worked on, without drains that only wait for an answer
 * @param longest how long the longest of these has been worked on
 */
public record ControllerStatus(Map<Priority, Integer> waiting, int delayed, int failing, int active, Duration longest) {

	public ControllerStatus {
		waiting = Collections.unmodifiableMap(new EnumMap<>(waiting));
	}

}
