package dev.sharding.internal.kubernetes.reconcile.queue;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * The law of the work queue, without threads and without a clock: every time is an
 * argument, in nanoseconds of one monotonic source. A key is served by one worker at a
 * time; an add while it is served is remembered and serves it once more; adds of a
 * waiting key are one, with the more urgent priority and the earlier time.
 *
 * Not thread-safe: {@link WorkQueue} holds the lock.
 */
public final class QueueState<K> {

	/**
	 * How many turns more urgent keys may have while a less urgent one waits; then it is
	 * the turn of that one, so that none of them starves.
	 */
	static final int PATIENCE = 10;

	/**
	 * How many of the most urgent keys are served at a time: nobody waits for the answer
	 * that each of them stands for, so workers do not limit them.
	 */
	public static final int URGENT = 16;

	private final Map<K, QueueItem<K>> items = new HashMap<>();

	private final QueueLane<K>[] lanes;

	/** For each lane that waits, the turns of more urgent ones since its last turn. */
	private final int[] passedOver = new int[Priority.values().length];

	private final TreeSet<QueueItem<K>> delayed = new TreeSet<>((left, right) -> {
		long difference = left.due - right.due;
		return (difference != 0) ? Long.signum(difference) : Long.compare(left.sequence, right.sequence);
	});

	private long sequence;

	private int active;

	/* How many of the active ones only wait for an answer. */
	private int unanswered;

	/* How many of the active ones count as most urgent. */
	private int activeUrgent;

	/* How many of the delayed ones come back with the highest priority. */
	private int delayedUrgent;

	@SuppressWarnings({ "unchecked", "rawtypes" })
	QueueState() {
		this.lanes = new QueueLane[Priority.values().length];
		for (int i = 0; i < this.lanes.length; i++) {
			this.lanes[i] = new QueueLane<>();
		}
	}

	/** Serve {@code key} as soon as its turn comes. */
	void add(K key, Priority priority, long now) {
		QueueItem<K> item = this.items.computeIfAbsent(key, QueueItem::new);
		Priority lane = priority;
		if (item.delayed) {
			lane = lane.moreUrgentOf(item.delayedLane);
			cancelDelay(item);
		}
		item.again &= priority == Priority.LOW;
		makeWaiting(item, lane, now);
	}

	/**
	 * Serve {@code key} at {@code due}, unless it is served for another reason before.
	 */
	void addAt(K key, Priority priority, long due) {
		QueueItem<K> item = this.items.computeIfAbsent(key, QueueItem::new);
		item.again = false;
		delay(item, priority, due);
	}

	/**
	 * The next key to serve.
	 * @return the item, to be given back with one of the {@code finish} methods, or
	 * {@code null} if none is due
	 */
	@Nullable QueueItem<K> poll(long now) {
		releaseDue(now);
		return take(nextLane(), now);
	}

	/** As {@link #poll}, of the most urgent keys only. */
	@Nullable QueueItem<K> pollUrgent(long now) {
		releaseDue(now);
		return take(Priority.HIGH.ordinal(), now);
	}

	/**
	 * Whether the work on {@code key}, which is active, may be as that on one of the most
	 * urgent keys, as which it counts from then on.
	 */
	boolean becomesUrgent(K key) {
		QueueItem<K> item = this.items.get(key);
		if (item == null || !item.active) {
			return false;
		}
		if (item.takenFrom != Priority.HIGH && this.activeUrgent < URGENT) {
			item.takenFrom = Priority.HIGH;
			this.activeUrgent++;
		}
		return item.takenFrom == Priority.HIGH;
	}

	/** Nobody is at work on the active {@code item} any more; it waits for an answer. */
	void awaitAnswer(QueueItem<K> item) {
		item.unanswered = true;
		this.unanswered++;
	}

	/* How many of a lane may be served now, were there no others. */
	private int ready(int lane) {
		boolean full = lane == Priority.HIGH.ordinal() && this.activeUrgent >= URGENT;
		return full ? 0 : this.lanes[lane].size();
	}

	private @Nullable QueueItem<K> take(int lane, long now) {
		QueueItem<K> item = (ready(lane) > 0) ? this.lanes[lane].removeFirst() : null;
		if (item != null) {
			item.waiting = false;
			item.active = true;
			item.abandoned = false;
			item.takenFrom = item.lane;
			item.activeSince = now;
			this.active++;
			this.activeUrgent += (item.takenFrom == Priority.HIGH) ? 1 : 0;
		}
		return item;
	}

	/* The most urgent one that waits, or one that was passed over too often. */
	private int nextLane() {
		int next = 0;
		for (int i = 1; i < this.lanes.length; i++) {
			if (ready(i) > 0 && (ready(next) == 0 || this.passedOver[i] >= PATIENCE)) {
				next = i;
			}
		}
		for (int i = 0; i < this.lanes.length; i++) {
			if (i == next || ready(i) == 0) {
				this.passedOver[i] = 0;
			}
			else if (i > next) {
				this.passedOver[i]++;
			}
		}
		return next;
	}

	/** The work ended well and nothing more is asked for. */
	void finish(QueueItem<K> item, long now) {
		item.failures = 0;
		item.refusals = 0;
		item.again = false;
		settle(item, now);
	}

	/** The work ended well and asks to be done again at {@code due}. */
	void finishAndAddAt(QueueItem<K> item, long due, long now) {
		item.failures = 0;
		item.refusals = 0;
		again(item, due, now);
	}

	/** The work failed; {@link QueueItem#failures} tells how often in a row. */
	void finishFailed(QueueItem<K> item, long due, long now) {
		item.failures = (item.abandoned) ? 0 : item.failures + 1;
		again(item, due, now);
	}

	/** The work was told to come back at {@code due}, which is no failure. */
	void finishPutOff(QueueItem<K> item, long due, long now) {
		again(item, due, now);
	}

	/**
	 * A write of the work was held back; {@link QueueItem#refusals} tells how often since
	 * the work last ended well.
	 */
	void finishRefused(QueueItem<K> item, long due, long now) {
		item.refusals++;
		again(item, due, now);
	}

	/** Forgets what waits for {@code key}; work that runs is not touched. */
	void drop(K key) {
		QueueItem<K> item = this.items.get(key);
		if (item != null) {
			forget(item);
			if (!item.active) {
				this.items.remove(key);
			}
		}
	}

	/** Forgets everything that waits, and the outcome of everything that runs. */
	void clear() {
		this.items.values().removeIf((item) -> {
			forget(item);
			item.abandoned = true;
			return !item.active;
		});
	}

	/**
	 * How long until the first delayed key is due.
	 * @return nanoseconds, 0 or less if something is to be served now,
	 * {@link Long#MAX_VALUE} if nothing is there at all
	 */
	public long nextDelay(long now) {
		for (int i = 0; i < this.lanes.length; i++) {
			if (ready(i) > 0) {
				return 0;
			}
		}
		return this.delayed.isEmpty() ? Long.MAX_VALUE : this.delayed.first().due - now;
	}

	/**
	 * How long until it is worth looking for one of the most urgent keys.
	 * @return nanoseconds, {@link Long#MAX_VALUE} if none is delayed
	 */
	long urgentDelay(long now) {
		return (this.delayedUrgent == 0) ? Long.MAX_VALUE : this.delayed.first().due - now;
	}

	/** Whether {@code key} is the next of the delayed ones to become due. */
	boolean isFirstDue(K key) {
		return !this.delayed.isEmpty() && this.delayed.first().key.equals(key);
	}

	boolean isActive(K key) {
		QueueItem<K> item = this.items.get(key);
		return item != null && item.active;
	}

	public int waiting(Priority priority) {
		return this.lanes[priority.ordinal()].size();
	}

	public int delayed() {
		return this.delayed.size();
	}

	public int active() {
		return this.active;
	}

	/** The number of keys that somebody is at work on. */
	public int busy() {
		return this.active - this.unanswered;
	}

	/** The number of keys that the queue knows anything of. */
	public int size() {
		return this.items.size();
	}

	/** Sum and maximum of the time that the running work has taken so far. */
	public long[] running(long now) {
		long sum = 0;
		long longest = 0;
		if (busy() > 0) {
			for (QueueItem<K> item : this.items.values()) {
				if (item.active && !item.unanswered) {
					sum += now - item.activeSince;
					longest = Math.max(longest, now - item.activeSince);
				}
			}
		}
		return new long[] { sum, longest };
	}

	/** The number of keys whose last service failed. */
	public int failing() {
		int failing = 0;
		for (QueueItem<K> item : this.items.values()) {
			failing += (item.failures > 0) ? 1 : 0;
		}
		return failing;
	}

	private void again(QueueItem<K> item, long due, long now) {
		if (!item.abandoned) {
			item.again = !item.waiting && !item.delayed;
			delay(item, item.takenFrom, due);
		}
		settle(item, now);
	}

	private void settle(QueueItem<K> item, long now) {
		item.active = false;
		this.active--;
		this.unanswered -= item.unanswered ? 1 : 0;
		item.unanswered = false;
		this.activeUrgent -= (item.takenFrom == Priority.HIGH) ? 1 : 0;
		if (item.abandoned) {
			item.failures = 0;
			item.refusals = 0;
		}
		if (item.waiting) {
			item.waiting = false;
			makeWaiting(item, item.lane, now);
		}
		if (item.isIdle()) {
			this.items.remove(item.key);
		}
	}

	private void makeWaiting(QueueItem<K> item, Priority priority, long now) {
		if (item.waiting) {
			if (priority.isMoreUrgentThan(item.lane)) {
				if (!item.active) {
					lane(item).remove(item);
				}
				item.lane = priority;
				if (!item.active) {
					lane(item).addLast(item);
				}
			}
			return;
		}
		item.waiting = true;
		item.lane = priority;
		item.waitingSince = now;
		if (!item.active) {
			lane(item).addLast(item);
		}
	}

	private void delay(QueueItem<K> item, Priority priority, long due) {
		if (item.waiting) {
			makeWaiting(item, priority, item.waitingSince);
			return;
		}
		long earliest = due;
		Priority lane = priority;
		if (item.delayed) {
			lane = lane.moreUrgentOf(item.delayedLane);
			earliest = (item.due - due < 0) ? item.due : due;
			cancelDelay(item);
		}
		item.due = earliest;
		item.delayedLane = lane;
		item.sequence = this.sequence++;
		item.delayed = true;
		this.delayed.add(item);
		this.delayedUrgent += (lane == Priority.HIGH) ? 1 : 0;
	}

	private void releaseDue(long now) {
		while (!this.delayed.isEmpty() && this.delayed.first().due - now <= 0) {
			QueueItem<K> item = this.delayed.first();
			cancelDelay(item);
			makeWaiting(item, item.delayedLane, now);
		}
	}

	private void cancelDelay(QueueItem<K> item) {
		if (item.delayed) {
			this.delayed.remove(item);
			item.delayed = false;
			this.delayedUrgent -= (item.delayedLane == Priority.HIGH) ? 1 : 0;
		}
	}

	private void forget(QueueItem<K> item) {
		cancelDelay(item);
		if (item.waiting && !item.active) {
			lane(item).remove(item);
		}
		item.waiting = false;
		item.failures = 0;
		item.refusals = 0;
		item.again = false;
	}

	private QueueLane<K> lane(QueueItem<K> item) {
		return this.lanes[item.lane.ordinal()];
	}

}
