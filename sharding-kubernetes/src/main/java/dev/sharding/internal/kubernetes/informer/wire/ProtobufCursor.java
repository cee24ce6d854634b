package dev.sharding.internal.kubernetes.informer.wire;

import java.nio.charset.StandardCharsets;

/**
 * Walks over the fields of one protobuf message without knowing its type: as the API
 * server encodes lists of metadata, at half the price of JSON.
 */
final class ProtobufCursor {

	private static final int VARINT = 0;

	private static final int EIGHT_BYTES = 1;

	private static final int SIZED = 2;

	private static final int FOUR_BYTES = 5;

	private final byte[] bytes;

	private final int end;

	private int position;

	private int field;

	private int valueFrom;

	private int valueTo;

	ProtobufCursor(byte[] bytes, int from, int to) {
		this.bytes = bytes;
		this.position = from;
		this.end = to;
	}

	/**
	 * Moves to the next field.
	 * @return {@code false} after the last one
	 */
	boolean next() {
		if (this.position >= this.end) {
			return false;
		}
		long tag = varint();
		this.field = (int) (tag >>> 3);
		this.valueFrom = this.position;
		switch ((int) tag & 7) {
			case VARINT -> varint();
			case EIGHT_BYTES -> skip(8);
			case FOUR_BYTES -> skip(4);
			case SIZED -> {
				long length = varint();
				this.valueFrom = this.position;
				skip(length);
			}
			default -> throw malformed();
		}
		this.valueTo = this.position;
		return true;
	}

	int field() {
		return this.field;
	}

	/** Walks into the current value, which must be a message. */
	ProtobufCursor enter() {
		return new ProtobufCursor(this.bytes, this.valueFrom, this.valueTo);
	}

	/** The current value, which must be a text. */
	String text() {
		return new String(this.bytes, this.valueFrom, this.valueTo - this.valueFrom, StandardCharsets.UTF_8);
	}

	/** Tells whether the current value is this text, which must be ASCII. */
	boolean isText(String text) {
		int length = text.length();
		if (this.valueTo - this.valueFrom != length) {
			return false;
		}
		for (int i = 0; i < length; i++) {
			if (this.bytes[this.valueFrom + i] != text.charAt(i)) {
				return false;
			}
		}
		return true;
	}

	/** The current value, which must be a number. */
	long number() {
		long value = 0;
		for (int i = this.valueFrom; i < this.valueTo; i++) {
			value |= (long) (this.bytes[i] & 0x7f) << (7 * (i - this.valueFrom));
		}
		return value;
	}

	private void skip(long length) {
		if (length < 0 || length > this.end - this.position) {
			throw malformed();
		}
		this.position += (int) length;
	}

	private long varint() {
		long value = 0;
		for (int shift = 0; shift < Long.SIZE && this.position < this.end; shift += 7) {
			byte part = this.bytes[this.position++];
			value |= (long) (part & 0x7f) << shift;
			if (part >= 0) {
				return value;
			}
		}
		throw malformed();
	}

	private IllegalArgumentException malformed() {
		return new IllegalArgumentException("Malformed protobuf at byte " + this.position);
	}

}
