package dev.sharding.internal.kubernetes.informer.store;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import dev.sharding.resource.ObjectKey;
import org.jspecify.annotations.Nullable;

/*
 * Why this is enough: a watch tells the changes of its scope in version order. If every listed object is
 * stored in the listed version or a later one, and nothing else is stored that is as old as the list, then
 * each change up to the list has been told, or was undone before the list; the store equals the scope at a
 * version not older than the list. An object that was created and removed before the list may still come by;
 * it counts as a ghost until its removal comes, or is dropped once the watermark has moved on.
 *
 * The same holds for what a selector selects, if only what it selects counts as a ghost. An object that is listed is
 * waited for whatever it looks like in the store. But what comes after may be older than the list, and is not dropped:
 * the state is that of the list under this very lock only.
 */
/**
 * What a store must hold to be as new as a consistent list. Guarded by the store's lock;
 * versions must be comparable.
 */
final class Expectation {

	private final String version;

	/** {@code null} if only the watermark can tell. */
	private final @Nullable Map<ObjectKey, String> listed;

	/** What was asked for; {@code null} for the whole scope. */
	private final @Nullable LabelQuery query;

	private final Runnable satisfied;

	/** Listed, but stored in an older version or not at all. */
	private final Set<ObjectKey> missing = new HashSet<>();

	/** Stored and not newer than the list, but not listed. */
	private final Set<ObjectKey> ghosts = new HashSet<>();

	/**
	 * Creates the expectation.
	 * @param version the version of the list
	 * @param listed the version of each object in it
	 * @param satisfied runs once, under the store's lock
	 */
	Expectation(String version, Map<ObjectKey, String> listed, Runnable satisfied) {
		this(version, satisfied, listed, null);
	}

	private Expectation(String version, Runnable satisfied, @Nullable Map<ObjectKey, String> listed,
			@Nullable LabelQuery query) {
		this.version = version;
		this.query = query;
		this.listed = listed;
		this.satisfied = satisfied;
	}

	/** Expects that the watermark gets to a version. */
	static Expectation ofVersion(String version, Runnable satisfied) {
		return new Expectation(version, satisfied, null, null);
	}

	/** Expects what a selector selects, and nothing of the rest. */
	static Expectation ofSelected(LabelQuery query, String version, Map<ObjectKey, String> listed, Runnable satisfied) {
		return new Expectation(version, satisfied, listed, query);
	}

	/** Whether a store that meets this is as new as the list in every respect. */
	boolean coversScope() {
		return this.query == null;
	}

	String version() {
		return this.version;
	}

	Runnable satisfied() {
		return this.satisfied;
	}

	/** Whether {@link #put} has to tell what is in the store. */
	boolean isOfObjects() {
		return this.listed != null;
	}

	/** Starts anew from an empty store; {@link #put} tells what is in it. */
	void restart() {
		this.ghosts.clear();
		this.missing.clear();
		if (this.listed != null) {
			this.missing.addAll(this.listed.keySet());
		}
	}

	/**
	 * An object is stored.
	 * @param labels its labels; {@code null} if they are not known, so that nobody is
	 * shown it as selected
	 */
	void put(ObjectKey key, String stored, @Nullable Map<String, String> labels) {
		if (this.listed == null) {
			return;
		}
		String wanted = this.listed.get(key);
		if (wanted != null) {
			if (!isBefore(stored, wanted)) {
				this.missing.remove(key);
			}
		}
		else if (isBefore(this.version, stored) || !isSelected(labels)) {
			this.ghosts.remove(key);
		}
		else {
			this.ghosts.add(key);
		}
	}

	void remove(ObjectKey key, String removedAt) {
		if (this.listed == null) {
			return;
		}
		this.ghosts.remove(key);
		String wanted = this.listed.get(key);
		if (wanted != null && !isBefore(removedAt, wanted)) {
			this.missing.remove(key);
		}
	}

	boolean isMet(String watermark) {
		Order order = ResourceVersions.compare(watermark, this.version);
		return order == Order.AFTER || order == Order.SAME
				|| (this.listed != null && this.missing.isEmpty() && this.ghosts.isEmpty());
	}

	private boolean isSelected(@Nullable Map<String, String> labels) {
		return this.query == null || (labels != null && this.query.selects(labels));
	}

	private static boolean isBefore(String left, String right) {
		return ResourceVersions.compare(left, right) == Order.BEFORE;
	}

}
