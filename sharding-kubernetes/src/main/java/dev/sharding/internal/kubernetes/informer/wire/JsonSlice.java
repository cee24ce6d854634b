package dev.sharding.internal.kubernetes.informer.wire;

import java.io.ByteArrayInputStream;
import java.io.InputStream;

/**
 * One JSON object within the bytes that came over the wire.
 */
public record JsonSlice(byte[] bytes, int from, int to) {

	public static JsonSlice of(byte[] bytes) {
		return new JsonSlice(bytes, 0, bytes.length);
	}

	JsonCursor cursor() {
		return new JsonCursor(this.bytes, this.from, this.to);
	}

	public InputStream stream() {
		return new ByteArrayInputStream(this.bytes, this.from, this.to - this.from);
	}

}
