package dev.sharding.core.ring;

import java.nio.charset.StandardCharsets;

import com.dynatrace.hash4j.hashing.ByteAccess;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.sharding.core.key.ShardingKey;

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
			return (byte) charAt(key, (int) index);
		}

		@Override
		public int getInt(ShardingKey key, long index) {
			int at = (int) index;
			return charAt(key, at) | charAt(key, at + 1) << 8 | charAt(key, at + 2) << 16 | charAt(key, at + 3) << 24;
		}

		@Override
		public long getLong(ShardingKey key, long index) {
			int at = (int) index;
			String part = key.group();
			if (at > part.length()) {
				at -= part.length() + 1;
				part = key.kind();
				if (at > part.length()) {
					at -= part.length() + 1;
					part = key.namespace();
					if (at > part.length()) {
						at -= part.length() + 1;
						part = key.name();
					}
				}
			}
			if (at + Long.BYTES <= part.length()) {
				return fourChars(part, at) | fourChars(part, at + 4) << 32;
			}
			return (getInt(key, index) & 0xffffffffL) | (long) getInt(key, index + 4) << 32;
		}

		private static long fourChars(String part, int at) {
			return part.charAt(at) | part.charAt(at + 1) << 8 | part.charAt(at + 2) << 16
					| (long) part.charAt(at + 3) << 24;
		}

		private static char charAt(ShardingKey key, int index) {
			int at = index;
			String part = key.group();
			if (at >= part.length()) {
				if (at == part.length()) {
					return '/';
				}
				at -= part.length() + 1;
				part = key.kind();
				if (at >= part.length()) {
					if (at == part.length()) {
						return '/';
					}
					at -= part.length() + 1;
					part = key.namespace();
					if (at >= part.length()) {
						if (at == part.length()) {
							return '/';
						}
						at -= part.length() + 1;
						part = key.name();
					}
				}
			}
			return part.charAt(at);
		}

	}

}
