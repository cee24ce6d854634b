package dev.sharding.internal.kubernetes.fence;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Counts the writes for a shard whose answers are still to come, or will never come.
 * Nobody knows whether such a write takes effect, nor when: only a touch of the objects
 * sees to it that it does not. Safe for use by many threads.
 */
public final class SentWrites {

	private final LongSupplier nanos;

	/* By the shard that they were for: a process may come back to a slot that it had. */
	private final Map<String, Term> terms = new HashMap<>();

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
	 * A term begins. What was sent in a former one of the same shard counts on, as nobody
	 * else may have had its Lease since.
	 * @param name the name of the shard
	 */
	public synchronized void begin(String name) {
		this.shard = name;
		this.term = this.terms.computeIfAbsent(name, (any) -> new Term());
	}

	/** All objects of the shard were touched: what was sent before is refused. */
	public synchronized void touched() {
		this.term = new Term();
		this.terms.put(this.shard, this.term);
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
		if (!known) {
			of.lost = true;
			of.lostAt = this.nanos.getAsLong();
		}
		notifyAll();
	}

	/**
	 * Waits for the answers to what is under way, unless another one was missed so lately
	 * that they change nothing.
	 * @param patience how long to wait
	 * @param lately what is lately
	 * @return {@code null} if each write was answered or never sent; else how long ago
	 * the last one was given up whose answer did not come, zero if some are under way
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	public synchronized @Nullable Duration awaitAnswers(Duration patience, Duration lately)
			throws InterruptedException {
		long deadline = this.nanos.getAsLong() + patience.toNanos();
		while (true) {
			Duration lost = this.term.lost ? Duration.ofNanos(this.nanos.getAsLong() - this.term.lostAt) : null;
			if (this.term.underWay == 0 || (lost != null && lost.compareTo(lately) < 0)) {
				return lost;
			}
			long left = deadline - this.nanos.getAsLong();
			if (left <= 0) {
				return Duration.ZERO;
			}
			TimeUnit.NANOSECONDS.timedWait(this, left);
		}
	}

	private static final class Term {

		private int underWay;

		private boolean lost;

		private long lostAt;

	}

}
