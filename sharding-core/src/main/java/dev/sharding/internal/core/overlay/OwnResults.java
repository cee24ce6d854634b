package dev.sharding.internal.core.overlay;

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
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import dev.sharding.internal.core.read.ResourceVersions;
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

	private final Doubts<K, T> doubts = new Doubts<>();

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
			this.doubts.add(order, Doubt.ofUncomparable(this.access, key, version, order, now));
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

	/*
	 * What a list of the scope does not show is absent at its version. A floor that is
	 * there stays where it is, or lists in close order would keep it for ever.
	 */
	void absentFrom(Predicate<K> listed, Collection<K> stored, String version, LongSupplier orders, long now) {
		if (!ResourceVersions.isComparable(version)) {
			return;
		}
		Set<K> known = new LinkedHashSet<>(stored);
		known.addAll(this.results.keySet());
		known.stream()
			.filter(listed.negate())
			.filter((key) -> !isFloor(this.results.get(key)))
			.forEach((key) -> put(key, new OwnResult<>(orders.getAsLong(), version, null, null, now)));
	}

	private boolean isFloor(@Nullable OwnResult<T> result) {
		return result != null && result.object() == null;
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
		this.doubts.add(order, Doubt.ofUnknownOutcome(this.access, write, order, now));
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
	 * What a list at this version does not show is absent at this version; of what it
	 * shows in a state that cannot be read, the store has the last one that can. A create
	 * without a name leaves no such floor, as nobody knows whom to keep it for. The
	 * doubts end here: should a lost request be executed still later, it is nobody's
	 * write any more. What was learned has an order of its own: a relist that began for
	 * the doubt may be older than this.
	 */
	void resolved(Map<Long, Optional<K>> asked, Collection<T> found, Set<K> unfit, String version, LongSupplier orders,
			long now) {
		this.doubts.answeredInOrder(ResourceVersions.isComparable(version));
		if (!ResourceVersions.isComparable(version)) {
			return;
		}
		asked.forEach((write, named) -> {
			Predicate<K> targets = settledTargets(write, named);
			if (targets == null) {
				return;
			}
			List<T> objects = found.stream().filter((object) -> targets.test(this.access.key(object))).toList();
			objects.forEach((object) -> seen(orders.getAsLong(), object, now));
			if (objects.isEmpty()) {
				named.filter((key) -> !unfit.contains(key))
					.ifPresent((key) -> put(key, new OwnResult<>(orders.getAsLong(), version, null, null, now)));
			}
		});
	}

	/** Ends a doubt, and tells whom it was about; {@code null} if it had ended. */
	private @Nullable Predicate<K> settledTargets(long write, Optional<K> named) {
		if (named.isPresent()) {
			return this.doubts.answered(named.get(), write) ? named.get()::equals : null;
		}
		Doubt<K, T> unnamed = this.doubts.remove(write);
		return (unnamed != null) ? unnamed::mayTarget : null;
	}

	/*
	 * What the feed has reached, the store shows. Of the rest we know where it will be
	 * shown, and by whoever asks for the object itself.
	 */
	void listed(Map<Long, Optional<K>> asked, Map<K, String> versions, String version, LongSupplier orders, long now) {
		this.doubts.answeredInOrder(ResourceVersions.isComparable(version));
		if (!ResourceVersions.isComparable(version)) {
			return;
		}
		Map<K, String> ahead = new LinkedHashMap<>();
		versions.forEach((key, each) -> {
			if (!this.position.covers(each)) {
				ahead.put(key, each);
			}
		});
		asked.forEach((write, named) -> {
			if (named.isEmpty()) {
				Doubt<K, T> unnamed = this.doubts.remove(write);
				if (unnamed != null) {
					this.doubts.mayBe(unnamed, ahead, orders);
				}
				return;
			}
			K key = named.get();
			String reached = ahead.get(key);
			if (reached != null) {
				this.doubts.located(key, write, reached);
			}
			else if (this.doubts.answered(key, write) && !versions.containsKey(key)) {
				put(key, new OwnResult<>(orders.getAsLong(), version, null, null, now));
			}
		});
	}

	/** The store shows {@code object}, and showed it when this was asked. */
	void shown(T object) {
		this.doubts.event(new ObservedEvent.Added<>(object));
	}

	/** The store shows what the API server answered about {@code key}. */
	void shown(Map<Long, Optional<K>> asked, K key) {
		asked.forEach((write, named) -> {
			if (named.isPresent() && named.get().equals(key)) {
				this.doubts.answered(key, write);
			}
		});
	}

	void refreshed(Set<Long> writes) {
		this.results.values().removeIf((result) -> writes.contains(result.write()));
		this.doubts.removeAll(writes);
		forget(this.deletes.drop(writes));
	}

	void event(ObservedEvent<T> event) {
		K key = this.access.key(event.object());
		OwnResult<T> result = this.results.get(key);
		if (result != null && FeedPosition.notOlder(this.access.version(event.object()), result.version())) {
			this.results.remove(key);
		}
		this.doubts.event(event);
	}

	void advanced() {
		Iterator<OwnResult<T>> iterator = this.results.values().iterator();
		while (iterator.hasNext() && this.position.covers(iterator.next().version())) {
			iterator.remove();
		}
		this.doubts.advanced(this.position);
		if (!this.deletes.isEmpty()) {
			forget(this.deletes.dropCovered(this.position));
		}
	}

	void tick(long now, Set<Long> uncovered, Set<Long> stuck) {
		long stuckAfter = this.limits.stuck().toNanos();
		this.deletes.overdue(now, this.limits.cover().toNanos(), stuckAfter, uncovered, stuck);
		this.doubts.overdue(now, stuckAfter, stuck);
		for (OwnResult<T> result : this.results.values()) {
			if (now - result.since() >= stuckAfter) {
				stuck.add(result.write());
			}
		}
	}

	/** Maps do not shrink by themselves. To be called when all are empty. */
	void trim() {
		this.results = new LinkedHashMap<>();
		this.deletes = new OpenEnded<>();
		this.deletedUids = new HashMap<>();
		this.doubts.trim();
	}

	long oldest(long now) {
		long oldest = Math.max(this.deletes.oldest(now), this.doubts.oldest(now));
		for (OwnResult<T> result : this.results.values()) {
			oldest = Math.max(oldest, now - result.since());
		}
		return oldest;
	}

	Doubts<K, T> doubts() {
		return this.doubts;
	}

	/** Without the doubts that arose after {@code mark}. */
	@Nullable Correction<K, T> correction(K key, long mark) {
		OwnResult<T> result = this.results.get(key);
		Set<String> uids = deletedUids(key);
		Map<Long, Optional<K>> inDoubt = this.doubts.names((doubt) -> doubt.first() <= mark && doubt.mayTarget(key));
		return (result == null && uids.isEmpty() && inDoubt.isEmpty()) ? null
				: new Correction<>(this.access, result, Set.copyOf(uids), inDoubt);
	}

	/** Without the doubts that arose after {@code mark}. */
	ReadView<K, T> view(long mark) {
		Set<K> keys = new LinkedHashSet<>(this.results.keySet());
		keys.addAll(this.deletedUids.keySet());
		Map<K, Correction<K, T>> corrections = new LinkedHashMap<>();
		for (K key : keys) {
			corrections.put(key,
					new Correction<>(this.access, this.results.get(key), Set.copyOf(deletedUids(key)), Map.of()));
		}
		return new ReadView<>(this.access, corrections, this.doubts.names((doubt) -> doubt.first() <= mark));
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
