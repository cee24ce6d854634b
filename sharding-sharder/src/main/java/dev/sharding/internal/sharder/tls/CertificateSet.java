package dev.sharding.internal.sharder.tls;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What the replicas share, all PEM.
 *
 * @param authorities the trusted authorities, the newest first
 * @param authorityKey the private key of the newest
 * @param certificate the serving certificate
 * @param key its private key
 */
record CertificateSet(String authorities, String authorityKey, String certificate, String key) {

	private static final String AUTHORITIES = "ca.crt";

	private static final String AUTHORITY_KEY = "ca.key";

	private static final String CERTIFICATE = "tls.crt";

	private static final String KEY = "tls.key";

	/** Reads the data of a Secret; {@code null} if something is missing. */
	static @Nullable CertificateSet of(@Nullable Map<String, String> data) {
		if (data == null) {
			return null;
		}
		String authorities = text(data, AUTHORITIES);
		String authorityKey = text(data, AUTHORITY_KEY);
		String certificate = text(data, CERTIFICATE);
		String key = text(data, KEY);
		if (authorities == null || authorityKey == null || certificate == null || key == null) {
			return null;
		}
		return new CertificateSet(authorities, authorityKey, certificate, key);
	}

	/** The data of a Secret of type {@code kubernetes.io/tls}. */
	Map<String, String> data() {
		Map<String, String> data = new HashMap<>();
		put(data, AUTHORITIES, this.authorities);
		put(data, AUTHORITY_KEY, this.authorityKey);
		put(data, CERTIFICATE, this.certificate);
		put(data, KEY, this.key);
		return data;
	}

	ServingCertificate serving() {
		return new ServingCertificate(this.certificate, this.key, this.authorities);
	}

	@Override
	public String toString() {
		return "CertificateSet[hidden]";
	}

	private static void put(Map<String, String> data, String name, String text) {
		data.put(name, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
	}

	private static @Nullable String text(Map<String, String> data, String name) {
		String encoded = data.get(name);
		try {
			return (encoded == null || encoded.isEmpty()) ? null
					: new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException notBase64) {
			return null;
		}
	}

}
