package dev.sharding.kubernetes.reconcile;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;

/**
 * {@link QueueState} behind a lock: the queue between informers and workers. It starts
 * suspended, and while it is suspended it takes nothing in and gives nothing out. All
 * methods may be called from any thread; only {@link #take()} blocks.
 */
final class WorkQueue<K> {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private final Condition idle = this.lock.newCondition();

	private final QueueState<K> state = new QueueState<>();

	private final LongSupplier nanos;

	private final Backoff backoff;

	private final QueueMetrics metrics;

	private boolean running;

	private boolean closed;

	/** The one thread that waits for the next due time; the others wait for a signal. */
	private @Nullable Thread timekeeper;

	WorkQueue(Backoff backoff, LongSupplier nanos, QueueMetrics metrics) {
		this.backoff = backoff;
		this.nanos = nanos;
		this.metrics = metrics;
	}

	/**
	 * Has a key worked on.
	 * @return whether it was taken in
	 */
	boolean add(K key, Priority priority) {
		this.lock.lock();
		try {
			if (this.running) {
				this.metrics.added();
				this.state.add(key, priority, this.nanos.getAsLong());
				this.changed.signal();
			}
			return this.running;
		}
		finally {
			this.lock.unlock();
		}
	}

	void addAfter(K key, Priority priority, long delayNanos) {
		this.lock.lock();
		try {
			if (this.running) {
				this.metrics.added();
				this.state.addAt(key, priority, this.nanos.getAsLong() + delayNanos);
				signalIfFirstDue(key);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	void drop(K key) {
		this.lock.lock();
		try {
			this.state.drop(key);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Waits for the next key to work on.
	 * @return the item, to be given back by one of the {@code finish} methods, or
	 * {@code null} once the queue is closed
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	@Nullable QueueItem<K> take() throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			while (!this.closed) {
				long now = this.nanos.getAsLong();
				QueueItem<K> item = this.running ? this.state.poll(now) : null;
				if (item != null) {
					this.metrics.taken(now - item.waitingSince);
					return item;
				}
				await(this.running ? this.state.nextDelay(now) : Long.MAX_VALUE);
			}
			return null;
		}
		finally {
			if (this.timekeeper == null && this.state.nextDelay(0) != Long.MAX_VALUE) {
				this.changed.signal();
			}
			this.lock.unlock();
		}
	}

	/** The work on {@code item} ended well. */
	void finish(QueueItem<K> item, Result result) {
		this.lock.lock();
		try {
			long now = this.nanos.getAsLong();
			this.metrics.worked(now - item.activeSince);
			if (result.delay() == null) {
				this.state.finish(item, now);
			}
			else {
				this.state.finishAndAddAt(item, now + result.delay().toNanos(), now);
			}
			ended(item);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The work on {@code item} failed: it comes back after the back-off.
	 * @param atLeastNanos how long it must wait in any case
	 * @return how long it waits, in nanoseconds
	 */
	long finishFailed(QueueItem<K> item, long atLeastNanos) {
		this.lock.lock();
		try {
			long now = this.nanos.getAsLong();
			this.metrics.worked(now - item.activeSince);
			this.metrics.retried();
			long delay = Math.max(atLeastNanos,
					this.backoff.delayNanos(item.failures + 1, ThreadLocalRandom.current().nextDouble()));
			this.state.finishFailed(item, now + delay, now);
			ended(item);
			return delay;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** From now on keys are taken in and given out. */
	void resume() {
		this.lock.lock();
		try {
			this.running = !this.closed;
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Empties the queue; no key is given out until {@link #resume()}. */
	void suspend() {
		this.lock.lock();
		try {
			this.running = false;
			this.state.clear();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Empties the queue for good and lets every waiting worker go. */
	void close() {
		this.lock.lock();
		try {
			this.closed = true;
			this.running = false;
			this.state.clear();
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Waits until no key is worked on.
	 * @param deadline the nanosecond at which to give up
	 * @return whether all work has ended
	 */
	boolean awaitIdle(long deadline) throws InterruptedException {
		this.lock.lock();
		try {
			while (this.state.active() > 0) {
				long left = deadline - this.nanos.getAsLong();
				if (left <= 0) {
					return false;
				}
				this.idle.awaitNanos(left);
			}
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	boolean isActive(K key) {
		this.lock.lock();
		try {
			return this.state.isActive(key);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Reads one figure of the state under the lock. */
	long read(ToLongFunction<QueueState<K>> figure) {
		this.lock.lock();
		try {
			return figure.applyAsLong(this.state);
		}
		finally {
			this.lock.unlock();
		}
	}

	ControllerStatus status() {
		this.lock.lock();
		try {
			Map<Priority, Integer> waiting = new EnumMap<>(Priority.class);
			for (Priority priority : Priority.values()) {
				waiting.put(priority, this.state.waiting(priority));
			}
			return new ControllerStatus(waiting, this.state.delayed(), this.state.failing(), this.state.active(),
					Duration.ofNanos(this.state.running(this.nanos.getAsLong())[1]));
		}
		finally {
			this.lock.unlock();
		}
	}

	long now() {
		return this.nanos.getAsLong();
	}

	private void await(long delay) throws InterruptedException {
		if (delay == Long.MAX_VALUE || this.timekeeper != null) {
			this.changed.await();
			return;
		}
		Thread self = Thread.currentThread();
		this.timekeeper = self;
		try {
			this.changed.awaitNanos(delay);
		}
		finally {
			if (this.timekeeper == self) {
				this.timekeeper = null;
			}
		}
	}

	/*
	 * The worker that gives an item back looks for the next one itself, so nobody is
	 * woken for it.
	 */
	private void ended(QueueItem<K> item) {
		signalIfFirstDue(item.key);
		if (this.state.active() == 0) {
			this.idle.signalAll();
		}
	}

	private void signalIfFirstDue(K key) {
		if (this.state.isFirstDue(key)) {
			this.timekeeper = null;
			this.changed.signal();
		}
	}

}
