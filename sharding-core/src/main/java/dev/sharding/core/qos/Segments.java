package dev.sharding.core.qos;

/**
 * Walks over the segments of a path without splitting it whole. Empty segments are
 * skipped.
 */
final class Segments {

	private final String path;

	private int position;

	Segments(String path) {
		this.path = path;
	}

	/** Returns the next segment, or an empty text if there is none. */
	String next() {
		while (this.position < this.path.length() && this.path.charAt(this.position) == '/') {
			this.position++;
		}
		int end = this.path.indexOf('/', this.position);
		if (end < 0) {
			end = this.path.length();
		}
		String segment = this.path.substring(this.position, end);
		this.position = end;
		return segment;
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

}
