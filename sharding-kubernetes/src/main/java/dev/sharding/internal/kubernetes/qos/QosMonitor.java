package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

import dev.sharding.qos.spi.Measure;
import org.jspecify.annotations.Nullable;

/**
 * The latest requests that were limited or cost something worth a look. Safe for many
 * threads; readers may wait for news without a thread.
 */
public final class QosMonitor {

	/* From here on a request is worth a look. */
	private static final double MANY_ITEMS = 500;

	private static final double MANY_BYTES = 1 << 20;

	private static final double LONG_MILLIS = 1_000;

	private final int size;

	private final Deque<SeenRequest> latest = new ArrayDeque<>();

	private final List<Reader> readers = new ArrayList<>();

	private long sequence;

	QosMonitor(int size) {
		this.size = size;
	}

	static boolean isWorthALook(double items, double trafficBytes, double latencyMillis) {
		return items >= MANY_ITEMS || trafficBytes >= MANY_BYTES || latencyMillis >= LONG_MILLIS;
	}

	void add(LongFunction<SeenRequest> seen) {
		List<Reader> told = new ArrayList<>();
		SeenRequest request = keep(seen, told);
		// On another thread: this one may be the transport's.
		told.forEach((reader) -> reader.news.completeAsync(() -> List.of(request)));
	}

	private SeenRequest keep(LongFunction<SeenRequest> seen, List<Reader> told) {
		synchronized (this.latest) {
			SeenRequest request = seen.apply(++this.sequence);
			this.latest.addLast(request);
			if (this.latest.size() > this.size) {
				this.latest.removeFirst();
			}
			this.readers.stream().filter((reader) -> reader.matches(request)).forEach(told::add);
			this.readers.removeAll(told);
			return request;
		}
	}

	/**
	 * Returns the latest requests, or the next one if there is none yet.
	 * @param measure which value to compare, or {@code null} for all limited requests
	 * @param threshold requests above it are returned
	 * @param limit at most so many, the newest
	 * @param since only those with a higher sequence number; one that was not given yet
	 * counts as 0, as it is of before a restart
	 * @param patience how long to wait for one
	 * @return the requests, oldest first, possibly none
	 */
	public CompletableFuture<List<SeenRequest>> since(@Nullable Measure measure, double threshold, int limit,
			long since, Duration patience) {
		Reader reader;
		synchronized (this.latest) {
			reader = new Reader(measure, threshold, (since > this.sequence) ? 0 : since);
			List<SeenRequest> found = this.latest.stream().filter(reader::matches).toList();
			if (!found.isEmpty() || patience.isZero()) {
				return CompletableFuture
					.completedFuture(found.subList(Math.max(0, found.size() - limit), found.size()));
			}
			this.readers.add(reader);
		}
		reader.news.completeOnTimeout(List.of(), patience.toNanos(), TimeUnit.NANOSECONDS)
			.whenComplete((news, failure) -> leave(reader));
		return reader.news;
	}

	private void leave(Reader reader) {
		synchronized (this.latest) {
			this.readers.remove(reader);
		}
	}

	/** Who waits for news. */
	private static final class Reader {

		private final CompletableFuture<List<SeenRequest>> news = new CompletableFuture<>();

		private final @Nullable Measure measure;

		private final double threshold;

		private final long since;

		Reader(@Nullable Measure measure, double threshold, long since) {
			this.measure = measure;
			this.threshold = threshold;
			this.since = since;
		}

		boolean matches(SeenRequest seen) {
			return seen.sequence() > this.since
					&& ((this.measure != null) ? seen.value(this.measure) > this.threshold : seen.rule() != null);
		}

	}

}
