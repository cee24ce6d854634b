package dev.sharding.internal.sharder.tls;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Map;

/**
 * Tells whether a private key is that of a certificate, by signing with the one and
 * verifying with the other.
 */
public final class KeyMatch {

	private static final Map<String, String> SIGNATURES = Map.of("EC", "SHA256withECDSA", "RSA", "SHA256withRSA");

	private static final String PSS = "RSASSA-PSS";

	private static final AlgorithmParameterSpec USUAL = new PSSParameterSpec("SHA-256", "MGF1",
			MGF1ParameterSpec.SHA256, 32, 1);

	private static final byte[] PROBE = { 1, 2, 3 };

	private KeyMatch() {
	}

	/**
	 * Compares a key with a certificate.
	 * @param key the private key
	 * @param certificate the certificate
	 * @return {@code false} if it is another one's key, or of no known kind
	 */
	public static boolean matches(PrivateKey key, X509Certificate certificate) {
		try {
			String algorithm = key.getAlgorithm();
			Signature signature = Signature.getInstance(SIGNATURES.getOrDefault(algorithm, algorithm));
			if (PSS.equals(algorithm)) {
				AlgorithmParameterSpec only = (key instanceof RSAKey rsa) ? rsa.getParams() : null;
				signature.setParameter((only != null) ? only : USUAL);
			}
			signature.initSign(key);
			signature.update(PROBE);
			byte[] signed = signature.sign();
			signature.initVerify(certificate.getPublicKey());
			signature.update(PROBE);
			return signature.verify(signed);
		}
		catch (GeneralSecurityException otherKey) {
			return false;
		}
	}

}
