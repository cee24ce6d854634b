package dev.sharding.internal.kubernetes.informer.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;

/**
 * Walks over the members of one JSON object or array without parsing their values: finds
 * where an object lies within a larger document, so that only it goes to the parser.
 * Checks no more than it needs; the parser sees what was found.
 */
final class JsonCursor {

	private static final JsonFactory JSON = new JsonFactory();

	private final byte[] bytes;

	private final int end;

	private final boolean named;

	private int position;

	private int nameFrom;

	private int nameTo;

	private int valueFrom;

	/** Where the current value ends, or -1 as long as nobody asked. */
	private int valueTo;

	private boolean first = true;

	/**
	 * Starts at the object or array whose opening bracket is the first non-blank byte.
	 */
	JsonCursor(byte[] bytes, int from, int to) {
		this.bytes = bytes;
		this.end = to;
		this.position = skipBlanks(from);
		byte open = at(this.position);
		if (open != '{' && open != '[') {
			throw malformed(this.position);
		}
		this.named = open == '{';
		this.position++;
	}

	/**
	 * Moves to the next member.
	 * @return {@code false} after the last one
	 */
	boolean next() {
		if (!this.first) {
			this.position = valueTo();
		}
		this.position = skipBlanks(this.position);
		byte b = at(this.position);
		if (b == (this.named ? '}' : ']')) {
			this.valueFrom = this.position;
			this.valueTo = this.position;
			return false;
		}
		if (!this.first) {
			if (b != ',') {
				throw malformed(this.position);
			}
			this.position = skipBlanks(this.position + 1);
		}
		this.first = false;
		if (this.named) {
			readName();
		}
		this.valueFrom = this.position;
		this.valueTo = -1;
		return true;
	}

	private void readName() {
		if (at(this.position) != '"') {
			throw malformed(this.position);
		}
		this.nameFrom = this.position + 1;
		this.nameTo = skipString(this.position) - 1;
		this.position = skipBlanks(this.nameTo + 1);
		if (at(this.position) != ':') {
			throw malformed(this.position);
		}
		this.position = skipBlanks(this.position + 1);
	}

	/** Tells whether the member has this name, which must be ASCII. */
	boolean isNamed(String name) {
		int length = name.length();
		if (this.nameTo - this.nameFrom != length) {
			return false;
		}
		for (int i = 0; i < length; i++) {
			if (this.bytes[this.nameFrom + i] != name.charAt(i)) {
				return false;
			}
		}
		return true;
	}

	int valueFrom() {
		return this.valueFrom;
	}

	int valueTo() {
		if (this.valueTo < 0) {
			this.valueTo = skipValue(this.valueFrom);
		}
		return this.valueTo;
	}

	/** Walks into the current value, which must be an object or an array. */
	JsonCursor enter() {
		return new JsonCursor(this.bytes, this.valueFrom, this.end);
	}

	/**
	 * Has somebody walk over all of the current value, if it is an object or an array.
	 */
	void walk(Consumer<JsonCursor> walker) {
		if (isContainer()) {
			JsonCursor inner = enter();
			walker.accept(inner);
			leave(inner);
		}
	}

	/** Tells whether the current value is an object or an array, which can be entered. */
	boolean isContainer() {
		return isArray() || at(this.valueFrom) == '{';
	}

	boolean isArray() {
		return at(this.valueFrom) == '[';
	}

	boolean isTrue() {
		return at(this.valueFrom) == 't';
	}

	/**
	 * Takes the end of the current value from the cursor that walked over all of it, so
	 * that it is not walked twice.
	 */
	void leave(JsonCursor inner) {
		this.valueTo = inner.position + 1;
	}

	/**
	 * The current value as text if it is a string, else empty. The API server escapes
	 * {@code <}, {@code >} and {@code &}, which the names of roles may have.
	 */
	String text() {
		int to = valueTo();
		if (this.bytes[this.valueFrom] != '"') {
			return "";
		}
		for (int i = this.valueFrom + 1; i < to - 1; i++) {
			if (this.bytes[i] == '\\') {
				return unescaped(to);
			}
		}
		return new String(this.bytes, this.valueFrom + 1, to - this.valueFrom - 2, StandardCharsets.UTF_8);
	}

	private String unescaped(int to) {
		try (JsonParser parser = JSON.createParser(this.bytes, this.valueFrom, to - this.valueFrom)) {
			String text = parser.nextTextValue();
			return (text != null) ? text : "";
		}
		catch (IOException ex) {
			return "";
		}
	}

	private int skipValue(int from) {
		byte b = at(from);
		if (b == '"') {
			return skipString(from);
		}
		if (b == '{' || b == '[') {
			return skipNested(from);
		}
		int i = from;
		while (i < this.end && ",]} \t\r\n".indexOf(this.bytes[i]) < 0) {
			i++;
		}
		if (i == from) {
			throw malformed(from);
		}
		return i;
	}

	private int skipNested(int from) {
		int depth = 0;
		int i = from;
		while (i < this.end) {
			byte b = this.bytes[i];
			if (b == '"') {
				i = skipString(i);
				continue;
			}
			i++;
			if (b == '{' || b == '[') {
				depth++;
			}
			else if ((b == '}' || b == ']') && --depth == 0) {
				return i;
			}
		}
		throw malformed(i);
	}

	private int skipString(int from) {
		int i = from + 1;
		while (i < this.end) {
			byte b = this.bytes[i];
			if (b == '"') {
				return i + 1;
			}
			i += (b == '\\') ? 2 : 1;
		}
		throw malformed(i);
	}

	private int skipBlanks(int from) {
		int i = from;
		while (i < this.end
				&& (this.bytes[i] == ' ' || this.bytes[i] == '\n' || this.bytes[i] == '\r' || this.bytes[i] == '\t')) {
			i++;
		}
		return i;
	}

	private byte at(int index) {
		if (index >= this.end) {
			throw malformed(index);
		}
		return this.bytes[index];
	}

	private static IllegalArgumentException malformed(int index) {
		return new IllegalArgumentException("Malformed JSON at byte " + index);
	}

}
