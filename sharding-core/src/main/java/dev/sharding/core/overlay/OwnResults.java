package dev.sharding.core.overlay;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import dev.sharding.core.version.ResourceVersions;
import org.jspecify.annotations.Nullable;

/**
 * What a reader sees: results of own writes, until the feed has reached them.
 */
final class OwnResults<K, T> {

	private final ObjectAccess<K, T> access;

	private final OverlayLimits limits;

	private final FeedPosition position;

	/** Nearly in version order: a result that replaces another moves to the end. */
	private LinkedHashMap<K, OwnResult<T>> results = new LinkedHashMap<>();

	private OpenEnded<OwnDelete<K>> deletes = new OpenEnded<>();

	private Map<K, Set<String>> deletedUids = new HashMap<>();

	private Map<Long, Doubt<K, T>> doubts = new LinkedHashMap<>();

	OwnResults(ObjectAccess<K, T> access, OverlayLimits limits, FeedPosition position) {
		this.access = access;
		this.limits = limits;
		this.position = position;
	}

	int size() {
		return this.results.size() + this.deletes.size() + this.doubts.size();
	}

	/** The answer to a write of any kind, which may show the end of the object. */
	void returned(long order, T object, long now) {
		String version = this.access.version(object);
		if (!this.access.exists(object) && version != null && ResourceVersions.isComparable(version)) {
			deleted(order, this.access.key(object), this.access.uid(object), version, now);
		}
		else {
			seen(order, object, now);
		}
	}

	/** An answer that shows an object which exists, however it looks. */
	void seen(long order, T object, long now) {
		K key = this.access.key(object);
		String version = this.access.version(object);
		if (version == null || !ResourceVersions.isComparable(version)) {
			this.doubts.put(order, Doubt.ofUncomparable(this.access, key, version, now));
			return;
		}
		put(key, new OwnResult<>(order, version, this.access.uid(object), this.access.inScope(object) ? object : null,
				now));
	}

	/*
	 * The answer to a delete has no version. What is known of the deleted object becomes
	 * a floor: older states must not come back into sight, be they of this object or of
	 * one that had the name before. Newer states of this object are hidden by its uid.
	 * They can appear even after a removal was seen, since a removal may be an exit from
	 * the scope that precedes the delete. Without a known version an object of another
	 * uid can be older or newer than the delete, so the API server must tell.
	 */
	void deleted(long order, OwnWrite.Delete<K, T> delete, String uid, long now) {
		String version = delete.knownVersion();
		OwnResult<T> known = this.results.get(delete.key());
		if (known != null && uid.equals(known.uid()) && !FeedPosition.notOlder(version, known.version())) {
			version = known.version();
		}
		if (version == null || !ResourceVersions.isComparable(version)) {
			doubt(order, delete, now);
		}
		else {
			deleted(order, delete.key(), uid, version, now);
		}
	}

	/** Versions that cannot be compared are no floor; then nothing is noted. */
	void gone(long order, T last, long now) {
		String version = this.access.version(last);
		if (version != null && ResourceVersions.isComparable(version)) {
			deleted(order, this.access.key(last), this.access.uid(last), version, now);
		}
	}

	private void deleted(long order, K key, String uid, String version, long now) {
		this.deletes.put(order, new OwnDelete<>(key, uid), now);
		this.deletedUids.computeIfAbsent(key, (absent) -> new HashSet<>()).add(uid);
		OwnResult<T> known = this.results.get(key);
		if (known != null && uid.equals(known.uid())) {
			this.results.remove(key);
		}
		put(key, new OwnResult<>(order, version, uid, null, now));
	}

	void doubt(long order, OwnWrite<K, T> write, long now) {
		doubt(order, Doubt.ofUnknownOutcome(this.access, write, now));
	}

	private void doubt(long order, Doubt<K, T> doubt) {
		long since = doubt.since();
		for (Iterator<Doubt<K, T>> iterator = this.doubts.values().iterator(); iterator.hasNext();) {
			Doubt<K, T> earlier = iterator.next();
			if (doubt.repeats(earlier)) {
				since = Math.min(since, earlier.since());
				iterator.remove();
			}
		}
		this.doubts.put(order, doubt.since(since));
	}

	/** A write sent after {@code order} made {@code version}. */
	void madeVersion(long order, String version) {
		if (!this.deletes.isEmpty()) {
			this.deletes.coverBefore(order, version);
			forget(this.deletes.dropCovered(this.position));
		}
	}

	void covered(Set<Long> writes, String version) {
		if (ResourceVersions.isComparable(version)) {
			this.deletes.cover(writes, version);
			advanced();
		}
	}

	/*
	 * What a list at this version does not show is absent at this version. The doubts end
	 * here: should a lost request be executed still later, it is nobody's write any more.
	 */
	void resolved(Set<Long> writes, Collection<T> found, String version, long now) {
		if (!ResourceVersions.isComparable(version)) {
			return;
		}
		for (Long write : writes) {
			Doubt<K, T> doubt = this.doubts.remove(write);
			if (doubt == null) {
				continue;
			}
			List<T> targets = found.stream().filter((object) -> doubt.mayTarget(this.access.key(object))).toList();
			targets.forEach((object) -> seen(write, object, now));
			if (targets.isEmpty() && doubt.key() != null) {
				put(doubt.key(), new OwnResult<>(write, version, null, null, now));
			}
		}
	}

	void refreshed(Set<Long> writes) {
		this.results.values().removeIf((result) -> writes.contains(result.write()));
		this.doubts.keySet().removeAll(writes);
		forget(this.deletes.drop(writes));
	}

	void event(ObservedEvent<T> event) {
		K key = this.access.key(event.object());
		OwnResult<T> result = this.results.get(key);
		if (result != null && FeedPosition.notOlder(this.access.version(event.object()), result.version())) {
			this.results.remove(key);
		}
		if (!this.doubts.isEmpty()) {
			this.doubts.values().removeIf((doubt) -> doubt.endsWith(event));
		}
	}

	void advanced() {
		Iterator<OwnResult<T>> iterator = this.results.values().iterator();
		while (iterator.hasNext() && this.position.covers(iterator.next().version())) {
			iterator.remove();
		}
		if (!this.deletes.isEmpty()) {
			forget(this.deletes.dropCovered(this.position));
		}
	}

	void tick(long now, Set<Long> uncovered, Set<Long> stuck) {
		long stuckAfter = this.limits.stuck().toNanos();
		this.deletes.overdue(now, this.limits.cover().toNanos(), stuckAfter, uncovered, stuck);
		this.doubts.forEach((order, doubt) -> addIf(now - doubt.since() >= stuckAfter, order, stuck));
		for (OwnResult<T> result : this.results.values()) {
			addIf(now - result.since() >= stuckAfter, result.write(), stuck);
		}
	}

	/** Maps do not shrink by themselves. To be called when all are empty. */
	void trim() {
		this.results = new LinkedHashMap<>();
		this.deletes = new OpenEnded<>();
		this.deletedUids = new HashMap<>();
		this.doubts = new LinkedHashMap<>();
	}

	long oldest(long now) {
		long oldest = this.deletes.oldest(now);
		for (OwnResult<T> result : this.results.values()) {
			oldest = Math.max(oldest, now - result.since());
		}
		for (Doubt<K, T> doubt : this.doubts.values()) {
			oldest = Math.max(oldest, now - doubt.since());
		}
		return oldest;
	}

	/** The writes in doubt with their keys: of all, or of those that may target a key. */
	Map<Long, Optional<K>> doubts(Predicate<Doubt<K, T>> condition) {
		if (this.doubts.isEmpty()) {
			return Map.of();
		}
		Map<Long, Optional<K>> found = new LinkedHashMap<>();
		this.doubts.forEach((order, doubt) -> {
			if (condition.test(doubt)) {
				found.put(order, Optional.ofNullable(doubt.key()));
			}
		});
		return found;
	}

	@Nullable Correction<K, T> correction(K key) {
		OwnResult<T> result = this.results.get(key);
		Set<String> uids = deletedUids(key);
		Map<Long, Optional<K>> inDoubt = doubts((doubt) -> doubt.mayTarget(key));
		return (result == null && uids.isEmpty() && inDoubt.isEmpty()) ? null
				: new Correction<>(this.access, result, Set.copyOf(uids), inDoubt);
	}

	ReadView<K, T> view() {
		Set<K> keys = new LinkedHashSet<>(this.results.keySet());
		keys.addAll(this.deletedUids.keySet());
		Map<K, Correction<K, T>> corrections = new LinkedHashMap<>();
		for (K key : keys) {
			corrections.put(key,
					new Correction<>(this.access, this.results.get(key), Set.copyOf(deletedUids(key)), Map.of()));
		}
		return new ReadView<>(this.access, corrections, doubts((doubt) -> true));
	}

	private void put(K key, OwnResult<T> result) {
		OwnResult<T> known = this.results.get(key);
		if (!this.position.covers(result.version()) && (known == null || known.olderThan(result.version()))) {
			this.results.remove(key);
			this.results.put(key, result);
		}
	}

	private Set<String> deletedUids(K key) {
		return this.deletedUids.getOrDefault(key, Set.of());
	}

	private static void addIf(boolean condition, Long write, Set<Long> writes) {
		if (condition) {
			writes.add(write);
		}
	}

	private void forget(List<OwnDelete<K>> gone) {
		for (OwnDelete<K> delete : gone) {
			Set<String> uids = this.deletedUids.get(delete.key());
			if (uids != null && uids.remove(delete.uid()) && uids.isEmpty()) {
				this.deletedUids.remove(delete.key());
			}
		}
	}

	/**
	 * An object that is gone for good, since a uid never comes back.
	 */
	private record OwnDelete<K>(K key, String uid) {
	}

}
