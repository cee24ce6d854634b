package dev.sharding.qos.spi;

/**
 * Walks over the segments of a path. Empty segments are skipped. A span, the place of one
 * segment, is a number, so that a walk needs no memory.
 */
final class Segments {

	/** The span of a segment that is not there. */
	static final long NONE = 0;

	private final String path;

	private int position;

	Segments(String path) {
		this.path = path;
	}

	/** Returns the next segment, or an empty text if there is none. */
	String next() {
		return text(this.path, nextSpan());
	}

	/** Returns where the next segment is. */
	long nextSpan() {
		while (this.position < this.path.length() && this.path.charAt(this.position) == '/') {
			this.position++;
		}
		int start = this.position;
		int end = this.path.indexOf('/', start);
		this.position = (end < 0) ? this.path.length() : end;
		return ((long) start << 32) | this.position;
	}

	/** Returns whether nothing but slashes is left. */
	boolean atEnd() {
		for (int i = this.position; i < this.path.length(); i++) {
			if (this.path.charAt(i) != '/') {
				return false;
			}
		}
		return true;
	}

	static String text(String path, long span) {
		return path.substring(start(span), end(span));
	}

	static boolean isEmpty(long span) {
		return start(span) == end(span);
	}

	static boolean is(String path, long span, String text) {
		int length = end(span) - start(span);
		return length == text.length() && path.startsWith(text, start(span));
	}

	private static int start(long span) {
		return (int) (span >>> 32);
	}

	private static int end(long span) {
		return (int) span;
	}

}
