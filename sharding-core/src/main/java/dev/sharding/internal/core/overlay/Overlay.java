package dev.sharding.internal.core.overlay;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

import dev.sharding.internal.core.read.ResourceVersions;
import org.jspecify.annotations.Nullable;

/**
 * Own writes on top of one feed of an informer: what a reader sees, and whom an event is
 * for. Times are nanoseconds of any one clock. Not safe for use by several threads.
 *
 * @param <K> the key: namespace and name
 * @param <T> the object
 */
public final class Overlay<K, T> {

	private final ObjectAccess<K, T> access;

	private final FeedPosition position = new FeedPosition();

	private final OwnResults<K, T> results;

	private final EchoFilter<K, T> echoes;

	private Map<Long, Flight<K, T>> flights = new HashMap<>();

	private long order;

	/** Whether maps may have grown since they were last trimmed. */
	private boolean used;

	/**
	 * Creates an empty overlay.
	 * @param access what to know of an object
	 * @param limits how long to wait for what
	 */
	public Overlay(ObjectAccess<K, T> access, OverlayLimits limits) {
		this.access = access;
		this.results = new OwnResults<>(access, limits, this.position);
		this.echoes = new EchoFilter<>(access, limits, this.position);
	}

	/**
	 * Notes a write, before it is sent. Exactly one of {@link #returned},
	 * {@link #deleted}, {@link #failed} and {@link #outcomeUnknown} must follow.
	 * @return what to name the write by
	 */
	public long sent(OwnWrite<K, T> write, long now) {
		this.used = true;
		Flight<K, T> flight = new Flight<>(++this.order, write, now);
		this.flights.put(flight.id, flight);
		if (!(write instanceof OwnWrite.Delete<K, T>)) {
			this.echoes.open(flight);
		}
		return flight.id;
	}

	/**
	 * The API server answered with the object as it is now. A delete that was answered so
	 * only began: the object has finalizers, or a grace period.
	 * @return events whose waiting is over
	 */
	public List<Emission<T>> returned(long write, T object, long now) {
		Flight<K, T> flight = settle(write);
		List<Emission<T>> out = new ArrayList<>(0);
		if (flight.write instanceof OwnWrite.Create<K, T>) {
			this.results.seen(++this.order, object, now);
		}
		else {
			this.results.returned(++this.order, object, now);
		}
		String version = this.access.version(object);
		if (version != null && ResourceVersions.isComparable(version) && makesVersion(flight.write, version)) {
			this.results.madeVersion(flight.id, version);
		}
		if (!(flight.write instanceof OwnWrite.Delete<K, T>)) {
			this.echoes.returned(flight, object, out);
		}
		return out;
	}

	/**
	 * The API server answered that the object with this uid is gone.
	 * @param uid the uid that the answer, or the precondition sent, names; {@code null}
	 * if there is none
	 */
	public void deleted(long write, @Nullable String uid, long now) {
		Flight<K, T> flight = settle(write);
		if (!(flight.write instanceof OwnWrite.Delete<K, T> delete)) {
			throw new IllegalArgumentException("Write " + write + " is no delete");
		}
		if (uid != null) {
			this.results.deleted(++this.order, delete, uid, now);
		}
		else {
			this.results.doubt(++this.order, delete, now);
		}
	}

	/**
	 * The API server refused the write, or it was never sent: nothing has changed.
	 * @return events whose waiting is over
	 */
	public List<Emission<T>> failed(long write) {
		Flight<K, T> flight = settle(write);
		List<Emission<T>> out = new ArrayList<>(0);
		this.echoes.close(flight, out);
		return out;
	}

	/**
	 * The write was sent and no answer came. It may have happened.
	 * @return events whose waiting is over
	 */
	public List<Emission<T>> outcomeUnknown(long write, long now) {
		Flight<K, T> flight = settle(write);
		List<Emission<T>> out = new ArrayList<>(0);
		this.results.doubt(++this.order, flight.write, now);
		this.echoes.close(flight, out);
		return out;
	}

	/**
	 * Takes the answer to a write, or to a read, that was made without the overlay.
	 */
	public void handIn(T object, long now) {
		this.used = true;
		this.results.returned(++this.order, object, now);
	}

	/**
	 * Takes the answer to a read that was made without the overlay. What a read shows
	 * exists, also if it is being deleted and nothing seems to hold it.
	 */
	public void handInSeen(T object, long now) {
		this.used = true;
		this.results.seen(++this.order, object, now);
	}

	/**
	 * Takes the answer to a read, made without the overlay, that an object is gone. The
	 * answer has no version, so this holds for the uid, which never comes back, and for
	 * what is older than {@code last}; a namesake made since is seen.
	 * @param last a state of the object that was seen before the read began
	 */
	public void handInGone(T last, long now) {
		this.used = true;
		this.results.gone(++this.order, last, now);
	}

	/**
	 * Takes a list of the scope that was read without the overlay: what it does not show
	 * is absent at its version, be it gone or out of the scope, from which it may return.
	 * @param listed whether the list shows an object of a key
	 * @param stored the keys of the store that are not newer than the list
	 * @param version the version of the list
	 */
	public void handInList(Predicate<K> listed, Collection<K> stored, String version, long now) {
		this.used = true;
		this.results.absentFrom(listed, stored, version, () -> ++this.order, now);
	}

	/**
	 * The informer saw a change. Its store already shows it.
	 * @return the event, and earlier ones whose waiting is over, in the order of delivery
	 */
	public List<Emission<T>> event(ObservedEvent<T> event, long now) {
		List<Emission<T>> out = new ArrayList<>(1);
		this.echoes.event(event, now, out);
		this.results.event(event);
		String version = this.access.version(event.object());
		if (!(event instanceof ObservedEvent.Removed<T> removed && removed.finalStateUnknown())) {
			this.position.advance(version);
			advanced();
		}
		return out;
	}

	/**
	 * The informer starts to list. Until {@link #relistFinished} events come in no order
	 * and may stand for several changes.
	 */
	public void relistStarted() {
		this.position.relistStarted();
	}

	/**
	 * The list is complete, its store and its events show the scope at {@code version}.
	 */
	public void relistFinished(String version) {
		this.position.relistFinished(version);
		advanced();
	}

	/**
	 * All changes up to {@code version} were delivered.
	 */
	public void bookmark(String version) {
		this.position.advance(version);
		advanced();
	}

	/**
	 * Tells what is due, and gives back the memory of a rush that is over. To be called
	 * about once a second.
	 */
	public OverlayTick<K, T> tick(long now) {
		List<Emission<T>> out = new ArrayList<>(0);
		Set<Long> uncovered = new TreeSet<>();
		Set<Long> stuck = new TreeSet<>();
		this.results.tick(now, uncovered, stuck);
		this.echoes.tick(now, out, stuck);
		if (this.used && status(now).isEmpty()) {
			this.used = false;
			this.flights = new HashMap<>();
			this.results.trim();
			this.echoes.trim();
		}
		return new OverlayTick<>(out, this.results.doubts().names((doubt) -> true), uncovered, stuck);
	}

	/**
	 * {@code version} is not older than the named deletes: it was read by a request that
	 * began after {@link #tick} named them.
	 */
	public void covered(Set<Long> writes, String version) {
		this.results.covered(writes, version);
	}

	/**
	 * Returns what to ask the API server about the writes in doubt, {@code null} if there
	 * are none. Whoever asks does so after this, and may ask for somebody else too.
	 */
	public @Nullable DoubtQuestion<K> question() {
		return this.results.doubts().question();
	}

	/**
	 * The API server was asked about writes in doubt, after they were named.
	 * @param asked the names and keys
	 * @param found the objects with the keys of those writes; of a write without a key
	 * all objects that it may have created
	 * @param unfit who is there too, in a state that cannot be read
	 * @param version the version of the list that found them
	 */
	public void resolved(Map<Long, Optional<K>> asked, Collection<T> found, Set<K> unfit, String version, long now) {
		this.results.resolved(asked, found, unfit, version, () -> ++this.order, now);
	}

	/**
	 * The API server was asked which objects there are, after writes in doubt were named.
	 * @param asked the names and keys
	 * @param versions the version of each object of the scope
	 * @param version the version of that list
	 */
	public void listed(Map<Long, Optional<K>> asked, Map<K, String> versions, String version, long now) {
		this.results.listed(asked, versions, version, () -> ++this.order, now);
	}

	/**
	 * The store shows {@code object}, which was noted as the answer to a write or read
	 * before that was looked at: whatever the order of versions, nothing is to be waited
	 * for.
	 */
	public void shown(T object) {
		this.results.shown(object);
	}

	/**
	 * The store shows of {@code key} what the API server answered after the writes were
	 * named.
	 * @param asked the names and keys
	 */
	public void shown(Map<Long, Optional<K>> asked, K key) {
		this.results.shown(asked, key);
	}

	/**
	 * A relist that began after the writes were named has been delivered: the store shows
	 * what they did.
	 */
	public void refreshed(Set<Long> writes) {
		this.results.refreshed(writes);
		this.echoes.refreshed(writes);
	}

	/**
	 * Returns a name for the present: a doubt that arises later is about a write that had
	 * not returned, of which who begins to read now need not know.
	 */
	public long mark() {
		return this.order;
	}

	/**
	 * Tells whether a reader who began at {@code mark} must ask the API server.
	 * @param key what it reads, or {@code null} for lists
	 */
	public boolean isInDoubt(@Nullable K key, long mark) {
		return this.results.doubts().any((doubt) -> doubt.first() <= mark && (key == null || doubt.mayTarget(key)));
	}

	/**
	 * Returns what a reader of {@code key} must know beyond the store, or {@code null} if
	 * the store alone is right. To be called before the store is read.
	 * @param mark where the reader began
	 */
	public @Nullable Correction<K, T> correction(K key, long mark) {
		return this.results.correction(key, mark);
	}

	/**
	 * Returns what a reader of lists must know beyond the store. To be called before the
	 * store is read.
	 * @param mark where the reader began
	 */
	public ReadView<K, T> view(long mark) {
		return this.results.view(mark);
	}

	/**
	 * Tells whether the store alone is right for each reader.
	 */
	public boolean correctsNothing() {
		return this.results.size() == 0;
	}

	/**
	 * Tells whether {@link #tick} has nothing to do until the next write is sent or
	 * answer handed in.
	 */
	public boolean isAtRest() {
		return !this.used;
	}

	/**
	 * Returns what is held.
	 */
	public OverlayStatus status(long now) {
		long oldest = Math.max(this.results.oldest(now), this.echoes.oldest(now));
		for (Flight<K, T> flight : this.flights.values()) {
			oldest = Math.max(oldest, now - flight.sentAt);
		}
		return new OverlayStatus(this.results.size(), this.echoes.awaited(), this.flights.size(), this.echoes.held(),
				oldest);
	}

	private void advanced() {
		this.results.advanced();
		this.echoes.advanced();
	}

	private boolean makesVersion(OwnWrite<K, T> write, String version) {
		if (write instanceof OwnWrite.Update<K, T> update) {
			return update.baseVersion() != null && !update.baseVersion().equals(version);
		}
		return write instanceof OwnWrite.Create<K, T>;
	}

	private Flight<K, T> settle(long write) {
		Flight<K, T> flight = this.flights.remove(write);
		if (flight == null) {
			throw new IllegalArgumentException("Write " + write + " is not in flight");
		}
		return flight;
	}

}
