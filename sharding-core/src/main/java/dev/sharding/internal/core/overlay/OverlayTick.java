package dev.sharding.internal.core.overlay;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is due at a tick.
 *
 * @param emissions events whose deadline is over, now delivered
 * @param doubts writes in doubt, as in {@link Sight.AskServer}: ask the API server and
 * call {@link Overlay#resolved}
 * @param uncovered deletes that wait for a version not older than they are: learn one
 * from the API server (a list of one object) and call {@link Overlay#covered}
 * @param stuck writes that the feed did not get to in time: relist, and call
 * {@link Overlay#refreshed} when the relist, begun after this tick, has been delivered
 * @param <K> the key
 * @param <T> the object
 */
public record OverlayTick<K, T>(List<Emission<T>> emissions, Map<Long, Optional<K>> doubts, Set<Long> uncovered,
		Set<Long> stuck) {
}
