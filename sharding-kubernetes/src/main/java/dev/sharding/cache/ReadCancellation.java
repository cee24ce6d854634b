package dev.sharding.cache;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;

import dev.sharding.internal.core.Internal;

/**
 * Ends the reads that were given it, from any thread: those that wait now, and those that
 * come.
 */
public final class ReadCancellation {

	private final Set<Future<?>> waiting = ConcurrentHashMap.newKeySet();

	private volatile boolean cancelled;

	/**
	 * Ends the reads with a {@link ConsistentReadException} whose reason is
	 * {@link ConsistentReadException.Reason#CANCELLED}.
	 */
	public void cancel() {
		this.cancelled = true;
		this.waiting.forEach((read) -> read.cancel(true));
	}

	/**
	 * Tells whether {@link #cancel()} was called.
	 * @return whether reads end
	 */
	public boolean isCancelled() {
		return this.cancelled;
	}

	@Internal
	public void begin(Future<?> read) {
		this.waiting.add(read);
		if (this.cancelled) {
			read.cancel(true);
		}
	}

	@Internal
	public void end(Future<?> read) {
		this.waiting.remove(read);
	}

}
