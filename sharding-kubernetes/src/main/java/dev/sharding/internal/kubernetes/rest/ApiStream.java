package dev.sharding.internal.kubernetes.rest;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.fabric8.kubernetes.client.http.AsyncBody;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;

/**
 * The lines of an open answer, pulled by one thread. The transport reads ahead by a few
 * chunks and then waits, so a slow reader slows the sender and does not fill the memory.
 */
public final class ApiStream implements AutoCloseable {

	/** The reason of the exception that {@link #nextLine} throws when nothing arrives. */
	public static final String SILENT = "Silent";

	private static final int CHUNKS_AHEAD = 16;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private final LineBuffer lines = new LineBuffer();

	private final String description;

	private final AsyncBody body;

	private int chunksAhead;

	private boolean stalled;

	private boolean ended;

	private @Nullable Throwable failure;

	ApiStream(String description, AsyncBody body) {
		this.description = description;
		this.body = body;
	}

	/**
	 * Waits for the next line.
	 * @param silence how long nothing at all may arrive
	 * @return the line without its end, owned by the caller, or {@code null} at the end
	 * of the stream; what follows the last line end is dropped, as it was cut
	 * @throws ApiException of status 0 if the stream was cut, closed, or silent for too
	 * long
	 * @throws InterruptedException if the thread was interrupted
	 */
	public byte @Nullable [] nextLine(Duration silence) throws InterruptedException {
		while (true) {
			this.lock.lockInterruptibly();
			try {
				byte[] line = this.lines.poll();
				if (line != null) {
					return line;
				}
				if (this.ended) {
					return end();
				}
				this.chunksAhead = 0;
				if (!this.stalled) {
					awaitChunk(silence);
					continue;
				}
				this.stalled = false;
			}
			finally {
				this.lock.unlock();
			}
			// Outside the lock: the transport may deliver on this very thread.
			this.body.consume();
		}
	}

	private void awaitChunk(Duration silence) throws InterruptedException {
		int before = this.lines.received();
		long patience = silence.toNanos();
		while (this.lines.received() == before && !this.ended) {
			if (patience <= 0) {
				throw new ApiException(0, SILENT, null,
						"Failed to %s: nothing arrived for %d ms".formatted(this.description, silence.toMillis()),
						null);
			}
			patience = this.changed.awaitNanos(patience);
		}
	}

	private byte @Nullable [] end() {
		if (this.failure != null) {
			throw new ApiException(0, "", null,
					"Failed to %s: %s".formatted(this.description, ApiException.describe(this.failure)), this.failure);
		}
		return null;
	}

	void receive(byte[] chunk) {
		boolean more;
		this.lock.lock();
		try {
			this.lines.append(chunk);
			this.chunksAhead++;
			more = this.chunksAhead < CHUNKS_AHEAD;
			this.stalled = !more;
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
		if (more) {
			this.body.consume();
		}
	}

	/** Returns whether the stream had not ended before. */
	boolean end(@Nullable Throwable cause) {
		this.lock.lock();
		try {
			if (this.ended) {
				return false;
			}
			this.ended = true;
			this.failure = (cause != null) ? ApiException.unwrap(cause) : null;
			this.changed.signalAll();
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Ends the exchange. A thread that waits for a line is released with an
	 * {@link ApiException}.
	 */
	@Override
	public void close() {
		if (end(new IllegalStateException("closed"))) {
			this.body.cancel();
		}
	}

}
