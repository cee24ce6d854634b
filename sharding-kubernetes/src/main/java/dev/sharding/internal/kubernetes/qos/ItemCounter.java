package dev.sharding.internal.kubernetes.qos;

import java.nio.ByteBuffer;

/**
 * Counts the objects of a list in its JSON, without parsing it: objects that open right
 * inside an array of the outermost object.
 */
final class ItemCounter {

	private int depth;

	private int items;

	private boolean inArray;

	private boolean inText;

	private boolean escaped;

	/** Reads on. */
	void read(ByteBuffer json) {
		for (int i = json.position(); i < json.limit(); i++) {
			byte character = json.get(i);
			if (this.inText) {
				readText(character);
				continue;
			}
			switch (character) {
				case '"' -> this.inText = true;
				case '{', '[' -> open(character);
				case '}', ']' -> this.depth--;
				default -> {
				}
			}
		}
	}

	int items() {
		return this.items;
	}

	private void readText(byte character) {
		if (this.escaped) {
			this.escaped = false;
		}
		else if (character == '\\') {
			this.escaped = true;
		}
		else if (character == '"') {
			this.inText = false;
		}
	}

	private void open(byte character) {
		this.depth++;
		if (this.depth == 2) {
			this.inArray = character == '[';
		}
		else if (this.depth == 3 && this.inArray && character == '{') {
			this.items++;
		}
	}

}
