package dev.sharding.internal.sharder.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Certificates and keys as PEM and back. Messages never hold what was read.
 */
final class Pem {

	private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] { '\n' });

	private static final String KEY_BEGIN = "-----BEGIN PRIVATE KEY-----";

	private static final String KEY_END = "-----END PRIVATE KEY-----";

	private Pem() {
	}

	static String certificates(List<X509Certificate> certificates) {
		return certificates.stream().map(Pem::certificate).collect(Collectors.joining());
	}

	static String certificate(X509Certificate certificate) {
		try {
			return "-----BEGIN CERTIFICATE-----\n" + LINES.encodeToString(certificate.getEncoded())
					+ "\n-----END CERTIFICATE-----\n";
		}
		catch (CertificateException ex) {
			throw new IllegalStateException("Failed to encode a certificate", ex);
		}
	}

	static String key(PrivateKey key) {
		return KEY_BEGIN + "\n" + LINES.encodeToString(key.getEncoded()) + "\n" + KEY_END + "\n";
	}

	/** Reads all certificates, in their order. */
	static List<X509Certificate> readCertificates(String pem) throws GeneralSecurityException {
		return CertificateFactory.getInstance("X.509")
			.generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)))
			.stream()
			.map(X509Certificate.class::cast)
			.toList();
	}

	/** Reads an EC key of PKCS #8, as we write them. */
	static PrivateKey readKey(String pem) throws GeneralSecurityException {
		int begin = pem.indexOf(KEY_BEGIN);
		int from = begin + KEY_BEGIN.length();
		// The marks share their dashes, if one is written into the other.
		int end = pem.indexOf(KEY_END, from);
		if (begin < 0 || end < 0) {
			throw new GeneralSecurityException("no private key");
		}
		try {
			byte[] encoded = Base64.getMimeDecoder().decode(pem.substring(from, end));
			return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(encoded));
		}
		catch (IllegalArgumentException notBase64) {
			throw new GeneralSecurityException("the private key is not base64");
		}
	}

}
