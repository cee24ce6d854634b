package dev.sharding.internal.kubernetes.rest;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Joins chunks and cuts them at line ends. Works on bytes, so a chunk may end within a
 * character.
 */
final class LineBuffer {

	private static final int SMALLEST = 16 * 1024;

	private byte[] buffer = new byte[SMALLEST];

	private int start;

	private int searched;

	private int end;

	private int received;

	void append(byte[] chunk) {
		makeRoom(chunk.length);
		System.arraycopy(chunk, 0, this.buffer, this.end, chunk.length);
		this.end += chunk.length;
		this.received++;
	}

	/**
	 * The next complete line without its end, or {@code null} if there is none yet. Empty
	 * lines are skipped.
	 */
	byte @Nullable [] poll() {
		while (this.searched < this.end) {
			if (this.buffer[this.searched++] == '\n') {
				int from = this.start;
				int to = this.searched - 1;
				this.start = this.searched;
				if (to > from) {
					return Arrays.copyOfRange(this.buffer, from, to);
				}
			}
		}
		return null;
	}

	/** How many chunks have come, to tell silence from a long line. */
	int received() {
		return this.received;
	}

	private void makeRoom(int length) {
		int kept = this.end - this.start;
		if (this.end + length <= this.buffer.length) {
			return;
		}
		int wanted = kept + length;
		// Shrinks again after one huge object, as the buffer lives as long as its watch.
		int capacity = (wanted <= SMALLEST) ? SMALLEST : Math.max(wanted, Math.min(2 * kept, Integer.MAX_VALUE / 2));
		byte[] target = (capacity == this.buffer.length) ? this.buffer : new byte[capacity];
		System.arraycopy(this.buffer, this.start, target, 0, kept);
		this.buffer = target;
		this.searched -= this.start;
		this.end = kept;
		this.start = 0;
	}

}
