package dev.sharding.example;

/**
 * Names that fit: one that is too long keeps its beginning and gets a hash of the whole,
 * so that two long names stay two.
 */
final class Names {

	private static final int OBJECT_NAME_LENGTH = 253;

	private static final int LABEL_VALUE_LENGTH = 63;

	private static final int HASH_LENGTH = 10;

	private Names() {
	}

	static String objectName(String name) {
		return fit(name, OBJECT_NAME_LENGTH);
	}

	static String labelValue(String value) {
		return fit(value, LABEL_VALUE_LENGTH);
	}

	private static String fit(String name, int length) {
		if (name.length() <= length) {
			return name;
		}
		String hash = Checksums.of(name).substring(0, HASH_LENGTH);
		int end = length - HASH_LENGTH - 1;
		// "a.-hash" would be no valid name.
		while (!Character.isLetterOrDigit(name.charAt(end - 1))) {
			end--;
		}
		return name.substring(0, end) + "-" + hash;
	}

}
