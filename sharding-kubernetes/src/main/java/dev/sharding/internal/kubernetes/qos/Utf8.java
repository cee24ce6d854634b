package dev.sharding.internal.kubernetes.qos;

/**
 * Counts bytes without encoding.
 */
final class Utf8 {

	private Utf8() {
	}

	/** Returns how many bytes a text takes; half of a pair is sent as a question mark. */
	static long length(String text) {
		long bytes = text.length();
		for (int i = 0; i < text.length(); i++) {
			char one = text.charAt(i);
			if (one < 0x80) {
				continue;
			}
			if (one < 0x800) {
				bytes++;
			}
			else if (!Character.isSurrogate(one)) {
				bytes += 2;
			}
			else if (Character.isHighSurrogate(one) && i + 1 < text.length()
					&& Character.isLowSurrogate(text.charAt(i + 1))) {
				// Four bytes for two characters.
				bytes += 2;
				i++;
			}
		}
		return bytes;
	}

}
