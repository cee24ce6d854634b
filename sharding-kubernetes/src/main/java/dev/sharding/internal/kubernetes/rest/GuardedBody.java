package dev.sharding.internal.kubernetes.rest;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.client.http.StandardHttpRequest.BodyContent;
import io.fabric8.kubernetes.client.http.StandardHttpRequest.ByteArrayBodyContent;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.NotSentException;

/**
 * A body whose first byte asks for permission. Transports read it when they have a
 * connection and send the headers with the first bytes, and every attempt asks. A body
 * that was read to its end can be read again, for a transport that sends it once more. A
 * transport that reads on one thread and writes on another asks early;
 * {@link LastLookHttpClient} asks right before it writes. Of one that nobody has begun to
 * read nothing was sent; what became of one that somebody has is not known here, whatever
 * a later attempt ends with.
 */
final class GuardedBody extends InputStream {

	private final byte[] bytes;

	private final @Nullable Runnable permit;

	private final Refused refused;

	private final AtomicReference<State> state = new AtomicReference<>(State.NEW);

	private final AtomicInteger attempts = new AtomicInteger();

	private int position;

	/**
	 * Creates a body.
	 * @param permit asked before its first byte, or {@code null} if it may always go out
	 * @param refused hears when {@code permit} refuses
	 */
	GuardedBody(byte[] bytes, @Nullable Runnable permit, Refused refused) {
		this.bytes = bytes;
		this.permit = permit;
		this.refused = refused;
	}

	@Override
	public int read() throws IOException {
		byte[] one = new byte[1];
		return (read(one, 0, 1) < 0) ? -1 : one[0] & 0xFF;
	}

	@Override
	public int read(byte[] target, int offset, int length) throws IOException {
		if (this.position == 0) {
			ask();
		}
		int count = Math.min(length, this.bytes.length - this.position);
		if (count == 0 && length > 0) {
			this.position = 0;
			return -1;
		}
		System.arraycopy(this.bytes, this.position, target, offset, count);
		this.position += count;
		return count;
	}

	/**
	 * Asks, and gives the body as a whole. Vert.x ends a request whose stream fails, so
	 * that a delete without a body arrives; if this throws instead, nothing is sent, and
	 * the connection is free again after the time-out of the request.
	 * @return the bytes
	 * @throws NotSentException if they must not be sent
	 */
	BodyContent now() {
		try {
			ask();
		}
		catch (IOException ex) {
			throw (ex.getCause() instanceof NotSentException refusal) ? refusal : new UncheckedIOException(ex);
		}
		return new ByteArrayBodyContent(this.bytes);
	}

	/**
	 * Sends nothing of it any more, or not once more.
	 * @return whether nothing has gone out, nor will
	 */
	boolean abandon() {
		return this.state.updateAndGet((before) -> switch (before) {
			case NEW, UNSENT -> State.UNSENT;
			case BEGUN, ABANDONED -> State.ABANDONED;
		}) == State.UNSENT;
	}

	/**
	 * Whether a transport has sent it more than once, so that the answer to the last time
	 * tells nothing about those before.
	 */
	boolean isRepeated() {
		return this.attempts.get() > 1;
	}

	private void ask() throws IOException {
		this.attempts.incrementAndGet();
		State before = this.state.getAndUpdate((state) -> (state == State.NEW) ? State.BEGUN : state);
		if (before == State.UNSENT || before == State.ABANDONED) {
			throw nobodyWaits();
		}
		try {
			if (this.permit != null) {
				this.permit.run();
			}
		}
		catch (NotSentException refusal) {
			this.state.set((before == State.NEW) ? State.UNSENT : State.ABANDONED);
			this.refused.accept(refusal, before == State.NEW);
			throw new IOException(refusal);
		}
		if (this.state.get() != State.BEGUN) {
			// Given up while it asked.
			throw nobodyWaits();
		}
	}

	private static IOException nobodyWaits() {
		return new IOException("Nobody waits for this request any more");
	}

	private enum State {

		NEW, BEGUN,

		/** Refused or given up before anything went out. */
		UNSENT,

		/** Refused or given up after something may have gone out. */
		ABANDONED

	}

	/** Hears of refusals. */
	@FunctionalInterface
	interface Refused {

		/**
		 * An attempt was refused.
		 * @param refusal why
		 * @param first whether it was the first one, so that nothing was sent
		 */
		void accept(NotSentException refusal, boolean first);

	}

}
