package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;

import dev.sharding.core.qos.Measure;
import org.jspecify.annotations.Nullable;

/**
 * The latest requests that were limited or cost something worth a look. Safe for many
 * threads; readers may wait for news.
 */
public final class QosMonitor {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition news = this.lock.newCondition();

	private final Deque<SeenRequest> latest = new ArrayDeque<>();

	private final int size;

	private long sequence;

	QosMonitor(int size) {
		this.size = size;
	}

	void add(LongFunction<SeenRequest> seen) {
		this.lock.lock();
		try {
			this.latest.addLast(seen.apply(++this.sequence));
			if (this.latest.size() > this.size) {
				this.latest.removeFirst();
			}
			this.news.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Returns the latest requests, and waits for one if there is none yet.
	 * @param measure which value to compare, or {@code null} for all limited requests
	 * @param threshold requests above it are returned
	 * @param limit at most so many, the newest
	 * @param since only those with a higher sequence number
	 * @param patience how long to wait for one
	 * @return the requests, oldest first, possibly none
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	public List<SeenRequest> since(@Nullable Measure measure, double threshold, int limit, long since,
			Duration patience) throws InterruptedException {
		long left = patience.toNanos();
		this.lock.lockInterruptibly();
		try {
			while (true) {
				List<SeenRequest> found = this.latest.stream()
					.filter((seen) -> seen.sequence() > since && matches(seen, measure, threshold))
					.toList();
				if (!found.isEmpty() || left <= 0) {
					return found.subList(Math.max(0, found.size() - limit), found.size());
				}
				left = this.news.awaitNanos(left);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private static boolean matches(SeenRequest seen, @Nullable Measure measure, double threshold) {
		return (measure != null) ? seen.value(measure) > threshold : seen.rule() != null;
	}

}
