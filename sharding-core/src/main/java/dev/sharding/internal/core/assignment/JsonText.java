package dev.sharding.internal.core.assignment;

/**
 * Writes strings as JSON.
 */
final class JsonText {

	private JsonText() {
	}

	static StringBuilder append(StringBuilder json, String text) {
		json.append('"');
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c == '"' || c == '\\') {
				json.append('\\').append(c);
			}
			else if (c < ' ' || Character.isSurrogate(c)) {
				json.append("\\u%04x".formatted((int) c));
			}
			else {
				json.append(c);
			}
		}
		return json.append('"');
	}

}
