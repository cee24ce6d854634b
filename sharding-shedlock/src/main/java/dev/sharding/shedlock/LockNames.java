package dev.sharding.shedlock;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What the Leases of locks are called: as the lock, after the scope, where a Lease can be
 * called so; else as much of it as fits and a hash of all of it. What is named like one
 * with a hash gets another hash, so that no two locks meet.
 */
final class LockNames {

	private static final int MAX_LENGTH = 253;

	private static final int HASH_BYTES = 10;

	private static final Pattern LEGAL = Pattern
		.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

	private static final Pattern HASHED = Pattern.compile(".*-[0-9a-f]{" + 2 * HASH_BYTES + "}");

	private LockNames() {
	}

	/**
	 * Names the Lease of a lock.
	 * @param scope whose locks these are
	 * @param lock the name of the lock
	 * @return a legal name
	 */
	static String of(String scope, String lock) {
		String plain = scope + "-lock-" + lock;
		if (plain.length() <= MAX_LENGTH && LEGAL.matcher(plain).matches() && !HASHED.matcher(plain).matches()) {
			return plain;
		}
		String readable = plain.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-", "");
		int room = MAX_LENGTH - 2 * HASH_BYTES - 1;
		String cut = (readable.length() > room) ? readable.substring(0, room) : readable;
		return cut.replaceAll("-$", "") + "-" + hash(label(scope, lock));
	}

	/**
	 * What a Lease says that it is the lock of.
	 * @param scope whose locks these are
	 * @param lock the name of the lock
	 * @return a text, different for different locks
	 */
	static String label(String scope, String lock) {
		return scope + "/" + lock;
	}

	private static String hash(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java has SHA-256", ex);
		}
	}

}
