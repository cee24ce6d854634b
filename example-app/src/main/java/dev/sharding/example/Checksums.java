package dev.sharding.example;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

import io.fabric8.kubernetes.api.model.Secret;

/**
 * SHA-256 in hexadecimal digits.
 */
final class Checksums {

	private Checksums() {
	}

	/** The checksum of each value of a Secret, by key. */
	static Map<String, String> of(Secret secret) {
		Map<String, String> checksums = new TreeMap<>();
		secret.getData().forEach((key, value) -> checksums.put(key, of(Base64.getDecoder().decode(value))));
		return checksums;
	}

	static String of(String text) {
		return of(text.getBytes(StandardCharsets.UTF_8));
	}

	private static String of(byte[] bytes) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JVM has SHA-256", ex);
		}
	}

}
