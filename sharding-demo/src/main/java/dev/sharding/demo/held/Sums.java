package dev.sharding.demo.held;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

import io.fabric8.kubernetes.api.model.Secret;

/** SHA-256 in hexadecimal digits. */
public final class Sums {

	private Sums() {
	}

	/**
	 * What the ConfigMap of a Secret has to hold.
	 * @param secret the Secret
	 * @return the checksum of each of its values
	 */
	public static Map<String, String> of(Secret secret) {
		Map<String, String> sums = new TreeMap<>();
		secret.getData().forEach((key, value) -> sums.put(key, sha256(Base64.getDecoder().decode(value))));
		return sums;
	}

	private static String sha256(byte[] value) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(value));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("This JVM has no SHA-256", ex);
		}
	}

}
