package dev.sharding.internal.core.overlay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * An informer with a store that is exactly the scope at the watermark, and a queue of
 * what its handlers were not told yet.
 */
final class ModelInformer {

	private final ModelServer server;

	private final Map<String, ModelObject> store = new LinkedHashMap<>();

	private final Deque<Object> queue = new ArrayDeque<>();

	private int applied;

	private long watermark;

	private boolean relisting;

	ModelInformer(ModelServer server) {
		this.server = server;
		this.watermark = server.version();
	}

	Map<String, ModelObject> store() {
		return this.store;
	}

	String watermark() {
		return Long.toString(this.watermark);
	}

	Deque<Object> queue() {
		return this.queue;
	}

	boolean relisting() {
		return this.relisting;
	}

	boolean behind() {
		return this.applied < this.server.log().size();
	}

	/** The watch brings the next change, unless the watch is broken. */
	void watchOne() {
		if (this.relisting || this.applied == this.server.log().size()) {
			return;
		}
		ModelServer.Change change = this.server.log().get(this.applied++);
		ModelObject before = change.scopedBefore();
		ModelObject after = change.scopedAfter();
		if (before == null && after == null) {
			return;
		}
		this.watermark = change.version();
		apply(change.key(), before, after, change.version());
	}

	void bookmark() {
		if (!this.relisting && this.applied == this.server.log().size()) {
			this.watermark = this.server.version();
			this.queue.add(new Bookmark(watermark()));
		}
	}

	/** The watch is lost for good (410). */
	void startRelist() {
		if (!this.relisting) {
			this.relisting = true;
			this.queue.add(new RelistStarted());
		}
	}

	void finishRelist(int shuffle) {
		if (!this.relisting) {
			return;
		}
		this.relisting = false;
		this.applied = this.server.log().size();
		this.watermark = this.server.version();
		List<String> keys = new ArrayList<>(keys());
		Collections.rotate(keys, shuffle);
		for (String key : keys) {
			ModelObject before = this.store.get(key);
			ModelObject now = this.server.get(key);
			ModelObject after = (now != null && now.scoped()) ? now : null;
			if (!Objects.equals(before, after)) {
				apply(key, before, after, -1);
			}
		}
		this.queue.add(new RelistFinished(watermark()));
	}

	private Set<String> keys() {
		Set<String> keys = new LinkedHashSet<>(this.store.keySet());
		keys.addAll(this.server.objects().keySet());
		return keys;
	}

	private void apply(String key, @Nullable ModelObject before, @Nullable ModelObject after, long version) {
		if (after != null) {
			this.store.put(key, after);
			this.queue
				.add((before != null) ? new ObservedEvent.Updated<>(before, after) : new ObservedEvent.Added<>(after));
		}
		else {
			this.store.remove(key);
			boolean unknown = version < 0;
			this.queue.add(new ObservedEvent.Removed<>(unknown ? before : before.at(version), unknown));
		}
	}

	record RelistStarted() {
	}

	record RelistFinished(String version) {
	}

	record Bookmark(String version) {
	}

}
