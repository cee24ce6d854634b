package dev.sharding.internal.kubernetes.reconcile.queue;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.controller.Backoff;
import dev.sharding.controller.Result;

/**
 * {@link QueueState} behind a lock: the queue between informers and workers. It starts
 * suspended, and while it is suspended it takes nothing in and gives nothing out. All
 * methods may be called from any thread; only {@link #take()} blocks.
 */
public final class WorkQueue<K> {

	private static final Logger logger = LoggerFactory.getLogger(WorkQueue.class);

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	/** For {@link #takeUrgent()}, beside the others. */
	private final Condition urgent = this.lock.newCondition();

	private final Condition idle = this.lock.newCondition();

	private final QueueState<K> state = new QueueState<>();

	private final LongSupplier nanos;

	private final Waits waits;

	private final QueueMetrics metrics;

	private boolean running;

	private boolean closed;

	/** The one thread that waits for the next due time; the others wait for a signal. */
	private @Nullable Thread timekeeper;

	public WorkQueue(Backoff backoff, LongSupplier nanos, QueueMetrics metrics) {
		this.waits = new Waits(backoff);
		this.nanos = nanos;
		this.metrics = metrics;
	}

	/**
	 * Has a key worked on.
	 * @return whether it was taken in
	 */
	public boolean add(K key, Priority priority) {
		this.lock.lock();
		try {
			if (this.running) {
				this.state.add(key, priority, this.nanos.getAsLong());
				this.changed.signal();
				if (priority == Priority.HIGH) {
					this.urgent.signal();
				}
				this.metrics.added();
			}
			return this.running;
		}
		finally {
			this.lock.unlock();
		}
	}

	public void addAfter(K key, Priority priority, Duration delay) {
		this.lock.lock();
		try {
			if (this.running) {
				this.state.addAt(key, priority, this.nanos.getAsLong() + Backoff.nanos(delay));
				signalIfFirstDue(key);
				this.metrics.added();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	public void drop(K key) {
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
	public @Nullable QueueItem<K> take() throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			while (!this.closed) {
				long now = this.nanos.getAsLong();
				QueueItem<K> item = this.running ? this.state.poll(now) : null;
				if (item != null) {
					taken(now - item.waitingSince);
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

	/**
	 * As {@link #take()}, for one of the most urgent keys, whatever else waits.
	 * @return the item, or {@code null} once the queue is closed
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	public @Nullable QueueItem<K> takeUrgent() throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			while (!this.closed) {
				long now = this.nanos.getAsLong();
				QueueItem<K> item = this.running ? this.state.pollUrgent(now) : null;
				if (this.state.nextDelay(now) <= 0) {
					// What became due on the way is for the others.
					this.changed.signal();
				}
				if (item != null) {
					taken(now - item.waitingSince);
					return item;
				}
				long delay = this.running ? this.state.urgentDelay(now) : Long.MAX_VALUE;
				if (delay == Long.MAX_VALUE) {
					this.urgent.await();
				}
				else {
					this.urgent.awaitNanos(delay);
				}
			}
			return null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** What is left of the work on {@code item} is to wait for the API server. */
	public void awaitAnswer(QueueItem<K> item) {
		this.lock.lock();
		try {
			this.state.awaitAnswer(item);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The work on {@code item} ended well. */
	public void finish(QueueItem<K> item, Result result) {
		Duration delay = result.delay();
		if (delay == null) {
			giveBack(item, (now) -> this.state.finish(item, now));
		}
		else {
			giveBack(item, (now) -> this.state.finishAndAddAt(item, now + Backoff.nanos(delay), now));
		}
	}

	/**
	 * The work on {@code item} failed: it comes back after the back-off.
	 * @param atLeast how long it must wait in any case
	 * @return how long it waits, in nanoseconds
	 */
	public long finishFailed(QueueItem<K> item, Duration atLeast) {
		long delay = this.waits.afterFailure(item.takenFrom, item.failures + 1, atLeast);
		giveBack(item, (now) -> this.state.finishFailed(item, now + delay, now));
		this.metrics.retried();
		return delay;
	}

	/**
	 * The work on {@code item} was told to wait, which is no failure.
	 * @param wait how long it must wait
	 * @return how long it waits, in nanoseconds
	 */
	public long finishPutOff(QueueItem<K> item, Duration wait) {
		long delay = this.waits.asTold(wait);
		giveBack(item, (now) -> this.state.finishPutOff(item, now + delay, now));
		return delay;
	}

	/**
	 * A write of the work on {@code item} was held back by the fence.
	 * @return how long it waits, in nanoseconds
	 */
	public long finishRefused(QueueItem<K> item) {
		long delay = this.waits.afterRefusal(item.takenFrom, item.refusals + 1);
		giveBack(item, (now) -> this.state.finishRefused(item, now + delay, now));
		return delay;
	}

	/* Whatever fails after the state has it: a key that is not given back is lost. */
	private void giveBack(QueueItem<K> item, LongConsumer finish) {
		this.lock.lock();
		try {
			long now = this.nanos.getAsLong();
			finish.accept(now);
			ended(item);
			this.metrics.worked(now - item.activeSince);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void taken(long waitedNanos) {
		try {
			this.metrics.taken(waitedNanos);
		}
		catch (RuntimeException ex) {
			// The key was taken all the same, and somebody has to give it back.
			logger.debug("Failed to count a key that was taken", ex);
		}
	}

	/** From now on keys are taken in and given out. */
	public void resume() {
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
	public void suspend() {
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
	public void close() {
		this.lock.lock();
		try {
			this.closed = true;
			this.running = false;
			this.state.clear();
			this.changed.signalAll();
			this.urgent.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Waits until no key is worked on.
	 * @param patience how long to wait
	 * @return whether all work has ended
	 */
	public boolean awaitIdle(Duration patience) throws InterruptedException {
		this.lock.lock();
		try {
			long deadline = this.nanos.getAsLong() + Backoff.nanos(patience);
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

	/** As {@link QueueState#becomesUrgent}. */
	public boolean becomesUrgent(K key) {
		this.lock.lock();
		try {
			return this.state.becomesUrgent(key);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Whether keys are taken in. */
	public boolean isRunning() {
		this.lock.lock();
		try {
			return this.running;
		}
		finally {
			this.lock.unlock();
		}
	}

	public boolean isActive(K key) {
		this.lock.lock();
		try {
			return this.state.isActive(key);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Reads one figure of the state under the lock. */
	public long read(ToLongFunction<QueueState<K>> figure) {
		this.lock.lock();
		try {
			return figure.applyAsLong(this.state);
		}
		finally {
			this.lock.unlock();
		}
	}

	public ControllerStatus status() {
		this.lock.lock();
		try {
			Map<Priority, Integer> waiting = new EnumMap<>(Priority.class);
			for (Priority priority : Priority.values()) {
				waiting.put(priority, this.state.waiting(priority));
			}
			return new ControllerStatus(waiting, this.state.delayed(), this.state.failing(), this.state.busy(),
					Duration.ofNanos(this.state.running(this.nanos.getAsLong())[1]));
		}
		finally {
			this.lock.unlock();
		}
	}

	public long now() {
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
	 * Who gives an item back need not be a worker that looks for the next one itself.
	 * That may be the turn of a less urgent one, which can take long.
	 */
	private void ended(QueueItem<K> item) {
		signalIfFirstDue(item.key);
		if (item.waiting || this.state.waiting(Priority.HIGH) > 0) {
			// Perhaps there was no room for it until now.
			this.changed.signal();
		}
		if (this.state.waiting(Priority.HIGH) > 0 || this.state.urgentDelay(0) != Long.MAX_VALUE) {
			this.urgent.signal();
		}
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
