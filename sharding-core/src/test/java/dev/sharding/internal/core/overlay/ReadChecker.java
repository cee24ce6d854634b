package dev.sharding.internal.core.overlay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Contract C3: a read shows a state of the world that is not older than any write that
 * had returned, or any read that had ended, when it began. All changes have one order, so
 * taking the earliest state that fits is exact.
 */
final class ReadChecker {

	private final ModelServer server;

	/** Per key the version that readers must not go behind. */
	private final Map<String, Long> floors = new HashMap<>();

	private final Map<String, List<ModelServer.Change>> changes = new HashMap<>();

	private int indexed;

	ReadChecker(ModelServer server) {
		this.server = server;
	}

	void writeReturned(String key, long version) {
		this.floors.merge(key, version, Math::max);
	}

	Map<String, Long> floors() {
		return Map.copyOf(this.floors);
	}

	void read(String key, @Nullable ModelObject seen) {
		read(key, seen, this.floors);
	}

	void read(String key, @Nullable ModelObject seen, Map<String, Long> floorsAtStart) {
		long floor = floorsAtStart.getOrDefault(key, 0L);
		long fits = earliest(key, seen, floor);
		if (fits < 0) {
			throw new AssertionError("stale read of " + key + ": " + seen + " though version " + floor
					+ " was known, history " + changes(key));
		}
		this.floors.merge(key, fits, Math::max);
	}

	private long earliest(String key, @Nullable ModelObject seen, long floor) {
		List<ModelServer.Change> history = changes(key);
		for (int i = -1; i < history.size(); i++) {
			long end = (i + 1 < history.size()) ? history.get(i + 1).version() - 1 : Long.MAX_VALUE;
			ModelObject state = (i >= 0) ? history.get(i).scopedAfter() : null;
			boolean same = (seen == null) ? state == null : seen.equals(state);
			if (same && end >= floor) {
				return Math.max(floor, (i >= 0) ? history.get(i).version() : 0);
			}
		}
		return -1;
	}

	private List<ModelServer.Change> changes(String key) {
		while (this.indexed < this.server.log().size()) {
			ModelServer.Change change = this.server.log().get(this.indexed++);
			this.changes.computeIfAbsent(change.key(), (absent) -> new ArrayList<>()).add(change);
		}
		return this.changes.getOrDefault(key, List.of());
	}

}
