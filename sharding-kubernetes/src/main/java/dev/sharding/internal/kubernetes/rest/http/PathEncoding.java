package dev.sharding.internal.kubernetes.rest.http;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Writes a path so that each of its characters arrives as it is: names of some resources,
 * such as roles, may hold almost anything.
 */
final class PathEncoding {

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	/** What a segment may hold (RFC 3986, {@code pchar}), and what parts segments. */
	private static final String PLAIN = "/-._~!$&'()*+,;=:@";

	private PathEncoding() {
	}

	static String encode(String path) {
		for (int i = 0; i < path.length(); i++) {
			if (!isPlain(path.charAt(i))) {
				return escape(path);
			}
		}
		return path;
	}

	private static String escape(String path) {
		StringBuilder text = new StringBuilder(path.length() + 16);
		for (byte one : path.getBytes(StandardCharsets.UTF_8)) {
			if (isPlain((char) (one & 0xFF))) {
				text.append((char) one);
			}
			else {
				HEX.toHexDigits(text.append('%'), one);
			}
		}
		return text.toString();
	}

	private static boolean isPlain(char one) {
		return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9')
				|| PLAIN.indexOf(one) >= 0;
	}

}
