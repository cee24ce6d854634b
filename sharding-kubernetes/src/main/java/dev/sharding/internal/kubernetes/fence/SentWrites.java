package dev.sharding.internal.kubernetes.fence;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Counts the writes for a shard whose answers are still to come, or will never come.
 * Nobody knows whether such a write takes effect, nor when: only a touch of the objects
 * sees to it that it does not. Safe for use by many threads.
 */
public final class SentWrites {

	private final LongSupplier nanos;

	private String shard = "";

	private Term term = new Term();

	/**
	 * Creates it without any.
	 * @param nanos the monotonic clock
	 */
	public SentWrites(LongSupplier nanos) {
		this.nanos = nanos;
	}

	/**
	 * A term begins. What was sent in a former one of the same shard counts on, as this
	 * process may have kept its Lease all the time.
	 * @param name the name of the shard
	 */
	public synchronized void begin(String name) {
		if (!this.shard.equals(name)) {
			this.shard = name;
			this.term = new Term();
		}
	}

	/** All objects of the shard were touched: what was sent before is refused. */
	public synchronized void touched() {
		this.term = new Term();
	}

	/**
	 * A write is under way.
	 * @return to be told, once, whether it was answered or never sent
	 */
	Consumer<Boolean> sending() {
		Term of;
		synchronized (this) {
			of = this.term;
			of.underWay++;
		}
		AtomicBoolean told = new AtomicBoolean();
		return (known) -> {
			if (told.compareAndSet(false, true)) {
				ended(of, known);
			}
		};
	}

	private synchronized void ended(Term of, boolean known) {
		of.underWay--;
		of.lost += known ? 0 : 1;
		notifyAll();
	}

	/**
	 * Waits for the answers to what is under way.
	 * @param patience how long to wait
	 * @return whether each write was answered or never sent
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	public synchronized boolean awaitAnswers(Duration patience) throws InterruptedException {
		long deadline = this.nanos.getAsLong() + patience.toNanos();
		while (this.term.underWay > 0 && this.term.lost == 0) {
			long left = deadline - this.nanos.getAsLong();
			if (left <= 0) {
				return false;
			}
			TimeUnit.NANOSECONDS.timedWait(this, left);
		}
		return this.term.lost == 0;
	}

	private static final class Term {

		private int underWay;

		private int lost;

	}

}
