package dev.sharding.kubernetes.rest;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/**
 * A body whose first byte asks for permission. Transports read it when they have a
 * connection and send the headers with the first bytes, so that an answer is as late as
 * it can be, and is asked for by every attempt. A body that was read to its end can be
 * read again, for a transport that sends it once more.
 */
final class GuardedBody extends InputStream {

	private final byte[] bytes;

	private final Runnable permit;

	private final Consumer<NotSentException> refused;

	private int position;

	GuardedBody(byte[] bytes, Runnable permit, Consumer<NotSentException> refused) {
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

	private void ask() throws IOException {
		try {
			this.permit.run();
		}
		catch (NotSentException refusal) {
			this.refused.accept(refusal);
			throw new IOException(refusal);
		}
	}

}
