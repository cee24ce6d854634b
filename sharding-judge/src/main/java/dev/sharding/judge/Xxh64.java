package dev.sharding.judge;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * XXH64 with seed 0, written from the published description of the algorithm so that the
 * judge does not inherit a mistake of the library that the product uses.
 */
final class Xxh64 {

	private static final long P1 = 0x9E3779B185EBCA87L;

	private static final long P2 = 0xC2B2AE3D27D4EB4FL;

	private static final long P1_PLUS_P2 = 0x60EA27EEADC0B5D6L;

	private static final long P3 = 0x165667B19E3779F9L;

	private static final long P4 = 0x85EBCA77C2B2AE63L;

	private static final long P5 = 0x27D4EB2F165667C5L;

	private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

	private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

	private Xxh64() {
	}

	/** Hash of the UTF-8 bytes of the text; read it as unsigned. */
	static long hash(String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		int at = 0;
		long hash = P5;
		if (bytes.length >= 32) {
			long[] lanes = { P1_PLUS_P2, P2, 0, -P1 };
			for (; at + 32 <= bytes.length; at += 32) {
				for (int lane = 0; lane < 4; lane++) {
					lanes[lane] = round(lanes[lane], (long) LONG.get(bytes, at + 8 * lane));
				}
			}
			hash = Long.rotateLeft(lanes[0], 1) + Long.rotateLeft(lanes[1], 7) + Long.rotateLeft(lanes[2], 12)
					+ Long.rotateLeft(lanes[3], 18);
			for (long lane : lanes) {
				hash = (hash ^ round(0, lane)) * P1 + P4;
			}
		}
		return avalanche(tail(hash + bytes.length, bytes, at));
	}

	private static long tail(long start, byte[] bytes, int from) {
		long hash = start;
		int at = from;
		for (; at + 8 <= bytes.length; at += 8) {
			hash = Long.rotateLeft(hash ^ round(0, (long) LONG.get(bytes, at)), 27) * P1 + P4;
		}
		if (at + 4 <= bytes.length) {
			hash = Long.rotateLeft(hash ^ Integer.toUnsignedLong((int) INT.get(bytes, at)) * P1, 23) * P2 + P3;
			at += 4;
		}
		for (; at < bytes.length; at++) {
			hash = Long.rotateLeft(hash ^ Byte.toUnsignedLong(bytes[at]) * P5, 11) * P1;
		}
		return hash;
	}

	private static long round(long lane, long input) {
		return Long.rotateLeft(lane + input * P2, 31) * P1;
	}

	private static long avalanche(long value) {
		long hash = value;
		hash = (hash ^ hash >>> 33) * P2;
		hash = (hash ^ hash >>> 29) * P3;
		return hash ^ hash >>> 32;
	}

}
