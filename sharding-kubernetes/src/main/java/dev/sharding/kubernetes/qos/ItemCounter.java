package dev.sharding.kubernetes.qos;

/**
 * Counts the objects of a list in its JSON, without parsing it: objects that open right
 * inside an array of the outermost object.
 */
final class ItemCounter {

	private ItemCounter() {
	}

	static int count(byte[] json) {
		int depth = 0;
		int items = 0;
		boolean inArray = false;
		boolean inText = false;
		for (int i = 0; i < json.length; i++) {
			byte character = json[i];
			if (inText) {
				if (character == '\\') {
					i++;
				}
				else if (character == '"') {
					inText = false;
				}
				continue;
			}
			switch (character) {
				case '"' -> inText = true;
				case '{', '[' -> {
					depth++;
					if (depth == 2) {
						inArray = character == '[';
					}
					else if (depth == 3 && inArray && character == '{') {
						items++;
					}
				}
				case '}', ']' -> depth--;
				default -> {
				}
			}
		}
		return items;
	}

}
