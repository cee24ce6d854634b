package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import dev.sharding.internal.kubernetes.usercode.Listeners;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;

/**
 * What moves between a shard and the others, for those who watch over it: nothing is
 * decided by it. Objects that are there when a term begins have not moved. Safe for use
 * by many threads.
 */
public final class Moves {

	/** How many moves are remembered. */
	static final int REMEMBERED = 100;

	private final InstantSource wall;

	private final LongSupplier nanos;

	private final Map<Id, Long> drains = new ConcurrentHashMap<>();

	private final Map<Id, Long> arrivals = new ConcurrentHashMap<>();

	private final Listeners<MoveListener> listeners;

	/** Guarded by itself, the latest first. */
	private final Deque<Move> latest = new ArrayDeque<>();

	/** Not before the first term: what the first lists find has not moved. */
	private volatile boolean counting;

	/**
	 * Creates an empty record.
	 * @param wall tells when a move was done
	 * @param nanos tells how long it took
	 * @param userCode notes how long listeners take
	 */
	public Moves(InstantSource wall, LongSupplier nanos, UserCode userCode) {
		this.wall = wall;
		this.nanos = nanos;
		this.listeners = new Listeners<>("move listener", userCode);
	}

	/**
	 * Adds a listener.
	 * @param listener hears of every move from now on
	 */
	public void addListener(MoveListener listener) {
		this.listeners.add(listener);
	}

	/**
	 * The drains that are asked for and not acknowledged yet.
	 * @return the longest waiting first
	 */
	public List<Drain> drains() {
		long now = this.nanos.getAsLong();
		List<Drain> drains = new ArrayList<>();
		this.drains
			.forEach((id, since) -> drains.add(new Drain(id.resource(), id.key(), Duration.ofNanos(now - since))));
		drains.sort(Comparator.comparing(Drain::waiting).reversed());
		return drains;
	}

	/**
	 * The latest moves.
	 * @return at most 100, the latest first
	 */
	public List<Move> latest() {
		synchronized (this.latest) {
			return List.copyOf(this.latest);
		}
	}

	/** A term begins: what is there now has not moved, and drains are seen anew. */
	void begin() {
		this.counting = true;
		this.arrivals.clear();
		this.drains.clear();
	}

	/** The drain label was seen on an object. */
	void drainSeen(GroupResource resource, ObjectKey key) {
		if (this.counting) {
			this.drains.putIfAbsent(new Id(resource, key), this.nanos.getAsLong());
		}
	}

	/** Since when the drain label is seen; to be asked before it is acknowledged. */
	long drainSince(GroupResource resource, ObjectKey key) {
		Long since = this.drains.get(new Id(resource, key));
		return (since != null) ? since : this.nanos.getAsLong();
	}

	void drained(GroupResource resource, ObjectKey key, long since) {
		this.drains.remove(new Id(resource, key));
		moved(resource, key, Move.Kind.DRAINED, since);
	}

	/** An object came; quick, as it is called under the lock of its store. */
	void arrived(GroupResource resource, ObjectKey key) {
		if (this.counting) {
			this.arrivals.putIfAbsent(new Id(resource, key), this.nanos.getAsLong());
		}
	}

	/** A reconcile of an object has ended well. */
	void reconciled(GroupResource resource, ObjectKey key) {
		Long since = this.arrivals.isEmpty() ? null : this.arrivals.remove(new Id(resource, key));
		if (since != null) {
			moved(resource, key, Move.Kind.TAKEN_OVER, since);
		}
	}

	/** An object went, or nobody wants it to go any more. */
	void settled(GroupResource resource, ObjectKey key, boolean gone) {
		if (!this.drains.isEmpty()) {
			this.drains.remove(new Id(resource, key));
		}
		if (gone && !this.arrivals.isEmpty()) {
			this.arrivals.remove(new Id(resource, key));
		}
	}

	private void moved(GroupResource resource, ObjectKey key, Move.Kind kind, long since) {
		Move move = new Move(resource, key, kind, this.wall.instant(),
				Duration.ofNanos(this.nanos.getAsLong() - since));
		synchronized (this.latest) {
			this.latest.addFirst(move);
			if (this.latest.size() > REMEMBERED) {
				this.latest.removeLast();
			}
		}
		this.listeners.tell(key, (listener) -> listener.moved(move));
	}

	/**
	 * A drain that is not acknowledged yet.
	 *
	 * @param resource the resource of the object
	 * @param key the object
	 * @param waiting since the shard saw the drain label
	 */
	public record Drain(GroupResource resource, ObjectKey key, Duration waiting) {
	}

	/**
	 * An object among all resources.
	 *
	 * @param resource the resource
	 * @param key the object
	 */
	private record Id(GroupResource resource, ObjectKey key) {
	}

}
