package dev.sharding.internal.core.assignment;

import java.nio.charset.StandardCharsets;

import com.dynatrace.hash4j.hashing.ByteAccess;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.sharding.internal.core.key.ShardingKey;

/**
 * XXH64 with seed 0 over UTF-8 bytes (protocol section 2.1).
 */
final class KeyHash {

	/*
	 * A lookup hashes a key, and a resync looks up every object of the ring. The text of
	 * the key is therefore not built: the hasher reads the bytes out of the four strings
	 * in place. That works where a char is a byte, which is the rule for Kubernetes
	 * names; all other keys take the way over their encoded text.
	 */

	private static final Hasher64 XXH64 = Hashing.xxh64();

	private static final ByteAccess<ShardingKey> ASCII = new AsciiAccess();

	private KeyHash() {
	}

	static long of(String text) {
		return XXH64.hashBytesToLong(text.getBytes(StandardCharsets.UTF_8));
	}

	static long of(ShardingKey key) {
		if (!isAscii(key.group()) || !isAscii(key.kind()) || !isAscii(key.namespace()) || !isAscii(key.name())) {
			return of(key.toString());
		}
		int length = key.group().length() + key.kind().length() + key.namespace().length() + key.name().length() + 3;
		return XXH64.hashBytesToLong(key, 0, length, ASCII);
	}

	private static boolean isAscii(String text) {
		int all = 0;
		for (int i = 0; i < text.length(); i++) {
			all |= text.charAt(i);
		}
		return all < 0x80;
	}

	/**
	 * Shows an ASCII key as the bytes of its protocol text.
	 */
	private static final class AsciiAccess implements ByteAccess<ShardingKey> {

		@Override
		public byte getByte(ShardingKey key, long index) {
			return (byte) read(key, (int) index, Byte.BYTES);
		}

		@Override
		public int getInt(ShardingKey key, long index) {
			return (int) read(key, (int) index, Integer.BYTES);
		}

		@Override
		public long getLong(ShardingKey key, long index) {
			return read(key, (int) index, Long.BYTES);
		}

		/* Little-endian, as the hasher wants it. */
		private static long read(ShardingKey key, int index, int bytes) {
			int part = 0;
			String text = key.group();
			int at = index;
			while (at > text.length()) {
				at -= text.length() + 1;
				text = part(key, ++part);
			}
			if (bytes == Long.BYTES && at + Long.BYTES <= text.length()) {
				return fourChars(text, at) | fourChars(text, at + 4) << 32;
			}
			long value = 0;
			for (int i = 0; i < bytes; i++) {
				if (at < text.length()) {
					value |= (long) text.charAt(at++) << 8 * i;
				}
				else {
					value |= (long) '/' << 8 * i;
					text = part(key, ++part);
					at = 0;
				}
			}
			return value;
		}

		private static long fourChars(String text, int at) {
			return text.charAt(at) | text.charAt(at + 1) << 8 | text.charAt(at + 2) << 16
					| (long) text.charAt(at + 3) << 24;
		}

		private static String part(ShardingKey key, int part) {
			return switch (part) {
				case 0 -> key.group();
				case 1 -> key.kind();
				case 2 -> key.namespace();
				default -> key.name();
			};
		}

	}

}
