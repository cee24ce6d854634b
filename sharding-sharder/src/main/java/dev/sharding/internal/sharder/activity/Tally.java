package dev.sharding.internal.sharder.activity;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.read.ResourceVersions;
import org.jspecify.annotations.Nullable;

/**
 * How many objects of a resource each shard has, by the last list of all of them and by
 * what was done since. A list shows the state at its version, which all its pages share:
 * what was done later counts on top of it. Guarded by {@link RingActivity}.
 */
final class Tally {

	static final String NOBODY = "";

	/* Between the question and the first page, which tells the version. */
	private static final int MOST_EARLY = 5_000;

	private Map<String, Integer> counts = new HashMap<>();

	private @Nullable Instant since;

	private @Nullable Count pending;

	Count begin() {
		Count begun = new Count();
		this.pending = begun;
		return begun;
	}

	void page(Count count, String version, boolean first, List<String> owners) {
		if (this.pending != count) {
			return;
		}
		if (first) {
			count.first(version);
		}
		owners.forEach((owner) -> count.counts.merge(owner, 1, Integer::sum));
	}

	void end(Count count, boolean complete, Instant now) {
		if (this.pending == count) {
			this.pending = null;
			if (complete && !count.spoiled && count.version != null) {
				this.counts = count.counts;
				this.since = now;
			}
		}
	}

	void changed(@Nullable String from, @Nullable String to, String version) {
		Change change = new Change(from, to, version);
		change.on(this.counts);
		if (this.pending != null) {
			this.pending.changed(change);
		}
	}

	/** Of each shard, that of nobody under an empty name. */
	Map<String, Integer> counts() {
		Map<String, Integer> shown = new HashMap<>();
		this.counts.forEach((shard, count) -> shown.put(shard, Math.max(0, count)));
		return shown;
	}

	/** When all were counted last. */
	@Nullable Instant since() {
		return this.since;
	}

	/**
	 * A list that is under way.
	 */
	static final class Count {

		private final Map<String, Integer> counts = new HashMap<>();

		private final List<Change> early = new ArrayList<>();

		private @Nullable String version;

		/* It began anew, or more was done than is kept: the next one counts. */
		private boolean spoiled;

		private void first(String shown) {
			this.spoiled |= this.version != null;
			this.version = shown;
			this.early.stream().filter(this::isLater).forEach((change) -> change.on(this.counts));
			this.early.clear();
		}

		private void changed(Change change) {
			if (this.version == null && this.early.size() < MOST_EARLY) {
				this.early.add(change);
			}
			else if (this.version == null) {
				this.spoiled = true;
			}
			else if (isLater(change)) {
				change.on(this.counts);
			}
		}

		private boolean isLater(Change change) {
			return this.version != null
					&& ResourceVersions.compare(change.version, this.version) == ResourceVersions.Order.AFTER;
		}

	}

	private record Change(@Nullable String from, @Nullable String to, String version) {

		private void on(Map<String, Integer> counts) {
			if (this.from != null) {
				counts.merge(this.from, -1, Integer::sum);
			}
			else {
				// Most of them are new and were never counted.
				counts.computeIfPresent(NOBODY, (nobody, count) -> Math.max(0, count - 1));
			}
			if (this.to != null) {
				counts.merge(this.to, 1, Integer::sum);
			}
		}

	}

}
